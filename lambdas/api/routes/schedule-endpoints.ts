import * as z from 'zod';
import { idempotencyKeySchema, ifMatchSchema, scheduleParams } from '../../contract/api/common.ts';
import {
  createScheduleBody,
  listSchedulesQuery,
  patchScheduleBody,
  replaceScheduleBody,
  scheduleList,
  scheduleView,
} from '../../contract/api/schedule.ts';
import { BODY_PROBLEMS, ETAG, LOCATION } from '../http/documented-problems.ts';
import { endpoint } from '../http/endpoint.ts';

const tag = 'Schedules';
const path = '/schedules/{group}/{name}';
const ifMatch = z.object({ 'if-match': ifMatchSchema });

export const createEndpoint = endpoint({
  method: 'post',
  path: '/schedules',
  tag,
  summary: 'Create a schedule',
  request: { headers: z.object({ 'idempotency-key': idempotencyKeySchema }), body: createScheduleBody },
  responses: {
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
  description: 'What is pending of the old definition is cancelled. A paused schedule stays paused.',
  request: {
    params: scheduleParams,
    headers: ifMatch.extend({
      'if-none-match': z.string().max(1000).optional().meta({ description: '`*`: create, never replace.' }),
    }),
    body: replaceScheduleBody,
  },
  responses: {
    200: { description: 'The schedule as it is now.', schema: scheduleView, headers: ETAG },
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
    'What is pending of the old definition is cancelled.',
  request: {
    params: scheduleParams,
    headers: ifMatch,
    body: patchScheduleBody,
    mediaType: 'application/merge-patch+json',
  },
  responses: { 200: { description: 'The schedule as it is now.', schema: scheduleView, headers: ETAG } },
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
