import type { ApiDeps } from '../deps.ts';
import { answer, endpoint, mounted } from '../http/endpoint.ts';
import { pageWithin } from '../http/page.ts';
import { scheduleParams } from '../request/common-schema.ts';
import { idOf } from '../schedules/routes/answers.ts';
import { getOccurrence } from './get-occurrence.ts';
import { listOccurrences } from './list-occurrences.ts';
import {
  listOccurrencesQuery,
  occurrenceList,
  occurrenceParams,
  occurrenceView,
} from './occurrence-schema.ts';
import { occurrenceViewOf, wholeOccurrenceView } from './occurrence-view.ts';

const tag = 'Occurrences';

const listEndpoint = endpoint({
  method: 'get',
  path: '/schedules/{group}/{name}/occurrences',
  operationId: 'listOccurrences',
  tag,
  summary: 'List the occurrences of a schedule',
  description:
    'Latest scheduled time first; also of a deleted schedule. Without a range or a filter, those whose time has come: ' +
    '`from`, `to` and `status=pending` show what is planned ahead, `upcoming` all that is to come. A page may hold ' +
    'fewer than `limit`.',
  request: { params: scheduleParams, query: listOccurrencesQuery },
  responses: { 200: { description: 'A page of occurrences.', schema: occurrenceList } },
  problems: [400, 404],
});

const getEndpoint = endpoint({
  method: 'get',
  path: '/occurrences/{id}',
  operationId: 'getOccurrence',
  tag,
  summary: 'Read an occurrence',
  request: { params: occurrenceParams },
  responses: { 200: { description: 'The occurrence.', schema: occurrenceView } },
  problems: [404],
});

export const occurrenceRoutes = (deps: ApiDeps) => [
  mounted(listEndpoint, async ({ params, query, caller }) => {
    const read = (limit: number) => listOccurrences(deps, idOf(params), { ...query, limit }, caller.now);
    return answer(200, await pageWithin(query.limit, read, (items) => items.map(occurrenceViewOf)));
  }),

  mounted(getEndpoint, async ({ params }) =>
    answer(200, wholeOccurrenceView(await getOccurrence(deps, params.id))),
  ),
];
