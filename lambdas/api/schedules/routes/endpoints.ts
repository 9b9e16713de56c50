import * as z from 'zod';
import { BODY_PROBLEMS, ETAG, LOCATION } from '../../http/documented-problems.ts';
import { endpoint } from '../../http/endpoint.ts';
import {
  idempotencyKeySchema,
  ifMatchSchema,
  ifNoneMatchSchema,
  scheduleParams,
} from '../../request/common-schema.ts';
import { rehearsalView } from '../schema/rehearsal-schema.ts';
import {
  createQuery,
  createScheduleBody,
  editQuery,
  listSchedulesQuery,
  patchScheduleBody,
  replaceScheduleBody,
  scheduleList,
  scheduleView,
} from '../schema/schedule-schema.ts';

const tag = 'Schedules';
const EDITED = {
  description: 'The schedule as it is now or, for a dry run, what the edit would change.',
  schema: z.union([scheduleView, rehearsalView]),
  headers: { ETag: { description: 'The version, for If-Match; not of a dry run.', optional: true } },
} as const;
/** Where a schedule that was made leads to. */
const HERE = { 'path.group': '$response.body#/group', 'path.name': '$response.body#/name' };
const LINKS = Object.fromEntries(
  [
    'getSchedule',
    'replaceSchedule',
    'patchSchedule',
    'deleteSchedule',
    'pauseSchedule',
    'resumeSchedule',
    'triggerSchedule',
    'listUpcomingTimes',
    'explainTime',
    'listOccurrences',
    'replayOccurrences',
    'skipComingTime',
    'createBackfill',
  ].map((operationId) => [operationId, HERE]),
);
const path = '/schedules/{group}/{name}';
const ifMatch = z.object({ 'if-match': ifMatchSchema });

export const createEndpoint = endpoint({
  method: 'post',
  path: '/schedules',
  operationId: 'createSchedule',
  tag,
  summary: 'Create a schedule',
  request: {
    query: createQuery,
    headers: z.object({ 'idempotency-key': idempotencyKeySchema }),
    body: createScheduleBody,
  },
  responses: {
    200: { description: 'For a dry run: what the request would change.', schema: rehearsalView },
    201: {
      description: 'The schedule.',
      schema: scheduleView,
      headers: { ...ETAG, ...LOCATION },
      links: LINKS,
    },
  },
  problems: [...BODY_PROBLEMS, 404, 409, 422, 429],
});

export const listEndpoint = endpoint({
  method: 'get',
  path: '/schedules',
  operationId: 'listSchedules',
  tag,
  summary: 'List schedules',
  description: 'Sorted by name within a group; unordered across groups. A page may hold fewer than `limit`.',
  request: { query: listSchedulesQuery },
  responses: { 200: { description: 'A page of schedules.', schema: scheduleList } },
  problems: [400],
});

export const getEndpoint = endpoint({
  method: 'get',
  path,
  operationId: 'getSchedule',
  tag,
  summary: 'Read a schedule',
  request: { params: scheduleParams },
  responses: { 200: { description: 'The schedule.', schema: scheduleView, headers: ETAG } },
  problems: [400, 404],
});

export const replaceEndpoint = endpoint({
  method: 'put',
  path,
  operationId: 'replaceSchedule',
  tag,
  summary: 'Create or replace a schedule',
  description: '`pending` decides what happens to pending occurrences. A paused schedule stays paused.',
  request: {
    params: scheduleParams,
    query: editQuery,
    headers: ifMatch.extend({
      'if-none-match': ifNoneMatchSchema,
    }),
    body: replaceScheduleBody,
  },
  responses: {
    200: EDITED,
    201: {
      description: 'It did not exist and was created.',
      schema: scheduleView,
      headers: { ...ETAG, ...LOCATION },
      links: LINKS,
    },
  },
  problems: [...BODY_PROBLEMS, 412, 429],
});

export const patchEndpoint = endpoint({
  method: 'patch',
  path,
  operationId: 'patchSchedule',
  tag,
  summary: 'Change fields of a schedule',
  description:
    'JSON merge patch (RFC 7396): null resets a field to its default. ' +
    '`pending` decides what happens to pending occurrences.',
  request: {
    params: scheduleParams,
    query: editQuery,
    headers: ifMatch,
    body: patchScheduleBody,
    mediaType: 'application/merge-patch+json',
  },
  responses: {
    200: EDITED,
  },
  problems: [...BODY_PROBLEMS, 404, 412, 429],
});

export const deleteEndpoint = endpoint({
  method: 'delete',
  path,
  operationId: 'deleteSchedule',
  tag,
  summary: 'Delete a schedule',
  description: 'Occurrences that have not started do not start. Finished ones stay readable.',
  request: { params: scheduleParams, headers: ifMatch },
  responses: { 204: { description: 'It is deleted.' } },
  problems: [400, 404, 412],
});
