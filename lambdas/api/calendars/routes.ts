import * as z from 'zod';
import type { ApiDeps } from '../deps.ts';
import { BODY_PROBLEMS, ETAG } from '../http/documented-problems.ts';
import { answer, endpoint, mounted } from '../http/endpoint.ts';
import { pageWithin } from '../http/page.ts';
import { etagOf } from '../http/precondition.ts';
import { ifMatchSchema } from '../request/common-schema.ts';
import { assertNamed } from '../request/named.ts';
import {
  calendarBody,
  calendarList,
  calendarParams,
  calendarUseView,
  listCalendarsQuery,
} from './calendar-schema.ts';
import { calendarUseViewOf, calendarViewOf } from './calendar-view.ts';
import { deleteCalendar } from './delete-calendar.ts';
import { putCalendar } from './put-calendar.ts';
import { assertCalendar, usesOf } from './read-calendar.ts';

const tag = 'Calendars';
const path = '/calendars/{name}';
const headers = z.object({ 'if-match': ifMatchSchema });

const listEndpoint = endpoint({
  method: 'get',
  path: '/calendars',
  operationId: 'listCalendars',
  tag,
  summary: 'List calendars',
  description: 'Sorted by name. A page may hold fewer than `limit`.',
  request: { query: listCalendarsQuery },
  responses: { 200: { description: 'A page of calendars.', schema: calendarList } },
  problems: [400],
});

const getEndpoint = endpoint({
  method: 'get',
  path,
  operationId: 'getCalendar',
  tag,
  summary: 'Read a calendar',
  description: 'Includes how many schedules use it, and which of them are still at an older version.',
  request: { params: calendarParams },
  responses: { 200: { description: 'The calendar.', schema: calendarUseView, headers: ETAG } },
  problems: [400, 404],
});

const putEndpoint = endpoint({
  method: 'put',
  path,
  operationId: 'putCalendar',
  tag,
  summary: 'Create or replace a calendar',
  description:
    'In force at once for the schedules that use it, also for what is planned already: each gets a new revision. ' +
    'With very many of them time may run out; the same request again moves those that are behind.',
  request: { params: calendarParams, headers, body: calendarBody },
  responses: {
    200: { description: 'The calendar as it is now.', schema: calendarUseView, headers: ETAG },
    201: { description: 'It did not exist and was created.', schema: calendarUseView, headers: ETAG },
  },
  problems: [...BODY_PROBLEMS, 412],
});

const deleteEndpoint = endpoint({
  method: 'delete',
  path,
  operationId: 'deleteCalendar',
  tag,
  summary: 'Delete a calendar',
  description: 'Refused while a schedule uses it.',
  request: { params: calendarParams, headers },
  responses: { 204: { description: 'It is deleted.' } },
  problems: [400, 404, 409, 412],
});

export const calendarRoutes = (deps: ApiDeps) => [
  mounted(listEndpoint, async ({ query }) => {
    const { cursor } = query;
    const read = (limit: number) =>
      deps.calendars.listCalendars({ limit, ...(cursor !== undefined && { cursor }) });
    return answer(200, await pageWithin(query.limit, read, (items) => items.map(calendarViewOf)));
  }),

  mounted(getEndpoint, async ({ params }) => {
    const calendar = assertCalendar(await deps.calendars.readCalendar(params.name), params.name);
    const uses = await usesOf(deps.calendars, calendar);
    return answer(200, calendarUseViewOf({ calendar, ...uses }), { etag: etagOf(calendar) });
  }),

  mounted(putEndpoint, async ({ params, headers, body, caller }) => {
    assertNamed('name', body.name, params.name);
    const put = await putCalendar(deps, { name: params.name, body, ifMatch: headers['if-match'], caller });
    return answer(put.created ? 201 : 200, calendarUseViewOf(put), { etag: etagOf(put.calendar) });
  }),

  mounted(deleteEndpoint, async ({ params, headers, caller }) => {
    await deleteCalendar(deps, { name: params.name, ifMatch: headers['if-match'], caller });
    return answer(204, undefined);
  }),
];
