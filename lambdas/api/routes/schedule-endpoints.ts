import * as z from 'zod';
import { idempotencyKeySchema, ifMatchSchema, scheduleParams } from '../../contract/api/common.ts';
import { rehearsalView } from '../../contract/api/rehearsal.ts';
import {
  createQuery,
  createScheduleBody,
  editQuery,
  listSchedulesQuery,
  patchScheduleBody,
  replaceScheduleBody,
  scheduleList,
  scheduleView,
} from '../../contract/api/schedule.ts';
import { BODY_PROBLEMS, ETAG, LOCATION } from '../http/documented-problems.ts';
import { endpoint } from '../http/endpoint.ts';

const tag = 'Schedules';
const EDITED = 'The schedule as it is now, or, of a dry run, what the edit would come to.';
const path = '/schedules/{group}/{name}';
const ifMatch = z.object({ 'if-match': ifMatchSchema });

export const createEndpoint = endpoint({
  method: 'post',
  path: '/schedules',
  tag,
  summary: 'Create a schedule',
  request: {
    query: createQuery,
    headers: z.object({ 'idempotency-key': idempotencyKeySchema }),
    body: createScheduleBody,
  },
  responses: {
    200: { description: 'Of a dry run: what it would come to.', schema: rehearsalView },
    201: { description: 'The schedule.', schema: scheduleView, headers: { ...ETAG, ...LOCATION } },
  },
  problems: [...BODY_PROBLEMS, 404, 409, 422],
});

export const listEndpoint = endpoint({
  method: 'get',
  path: '/schedules',
  tag,
  summary: 'List schedules',
  description: 'By name within a group; in no order across groups. A page may hold fewer than `limit`.',
  request: { query: listSchedulesQuery },
  responses: { 200: { description: 'A page of schedules.', schema: scheduleList } },
  problems: [400],
});

export const getEndpoint = endpoint({
  method: 'get',
  path,
  tag,
  summary: 'Read a schedule',
  request: { params: scheduleParams },
  responses: { 200: { description: 'The schedule.', schema: scheduleView, headers: ETAG } },
  problems: [400, 404],
});

export const replaceEndpoint = endpoint({
  method: 'put',
  path,
  tag,
  summary: 'Create or replace a schedule',
  description: 'What becomes of what is pending is for `pending` to say. A paused schedule stays paused.',
  request: {
    params: scheduleParams,
    query: editQuery,
    headers: ifMatch.extend({
      'if-none-match': z.string().max(1000).optional().meta({ description: '`*`: create, never replace.' }),
    }),
    body: replaceScheduleBody,
  },
  responses: {
    200: { description: EDITED, schema: z.union([scheduleView, rehearsalView]), headers: ETAG },
    201: {
      description: 'It did not exist and was made.',
      schema: scheduleView,
      headers: { ...ETAG, ...LOCATION },
    },
  },
  problems: [...BODY_PROBLEMS, 412],
});

export const patchEndpoint = endpoint({
  method: 'patch',
  path,
  tag,
  summary: 'Change fields of a schedule',
  description:
    'JSON merge patch (RFC 7396): null removes a field, which then has its default. ' +
    'What becomes of what is pending is for `pending` to say.',
  request: {
    params: scheduleParams,
    query: editQuery,
    headers: ifMatch,
    body: patchScheduleBody,
    mediaType: 'application/merge-patch+json',
  },
  responses: {
    200: { description: EDITED, schema: z.union([scheduleView, rehearsalView]), headers: ETAG },
  },
  problems: [...BODY_PROBLEMS, 404, 412],
});

export const deleteEndpoint = endpoint({
  method: 'delete',
  path,
  tag,
  summary: 'Delete a schedule',
  description: 'Nothing of it that has not started starts any more. Its occurrences stay readable.',
  request: { params: scheduleParams, headers: ifMatch },
  responses: { 204: { description: 'It is gone.' } },
  problems: [400, 404, 412],
});
