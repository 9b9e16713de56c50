import * as z from 'zod';
import type { ApiDeps } from '../deps.ts';
import { BODY_PROBLEMS, LOCATION } from '../http/documented-problems.ts';
import { answer, endpoint, mounted } from '../http/endpoint.ts';
import { pageWithin } from '../http/page.ts';
import { idempotencyKeySchema, noOptions, scheduleParams } from '../request/common-schema.ts';
import { idOf } from '../schedules/routes/answers.ts';
import {
  backfillList,
  backfillParams,
  backfillPlanView,
  backfillView,
  createBackfillBody,
  listBackfillsQuery,
} from './backfill-schema.ts';
import { backfillSummaryOf, backfillViewOf } from './backfill-view.ts';
import { type BackfillVerb, changeBackfill } from './change-state.ts';
import { createBackfill } from './create-backfill.ts';
import { assertBackfill, listBackfills, watched } from './read-backfill.ts';

const tag = 'Backfills';
const all = '/schedules/{group}/{name}/backfills';
const one = `${all}/{backfill}` as const;
const answers200 = { 200: { description: 'The backfill.', schema: backfillView } };

const createEndpoint = endpoint({
  method: 'post',
  path: all,
  operationId: 'createBackfill',
  tag,
  summary: 'Run past times of a schedule',
  description:
    'Uses the definition in force now and runs a bounded number at a time, beside scheduled runs. Windows, start deadline, ' +
    'overlap and catch-up do not apply. Edits and pauses of the schedule do not affect it; its deletion ends it.',
  request: {
    params: scheduleParams,
    headers: z.object({ 'idempotency-key': idempotencyKeySchema }),
    body: createBackfillBody,
  },
  responses: {
    200: { description: 'A dry run: what it would do.', schema: backfillPlanView },
    201: { description: 'The backfill.', schema: backfillView, headers: LOCATION },
  },
  problems: [...BODY_PROBLEMS, 404, 422, 429],
});

const listEndpoint = endpoint({
  method: 'get',
  path: all,
  operationId: 'listBackfills',
  tag,
  summary: 'List the backfills of a schedule',
  description:
    'The latest first; also of a deleted schedule. Counts are as of the last look at each. ' +
    'A page may hold fewer than `limit`.',
  request: { params: scheduleParams, query: listBackfillsQuery },
  responses: { 200: { description: 'A page of backfills.', schema: backfillList } },
  problems: [400, 404],
});

const getEndpoint = endpoint({
  method: 'get',
  path: one,
  operationId: 'getBackfill',
  tag,
  summary: 'Read the progress of a backfill',
  request: { params: backfillParams },
  responses: answers200,
  problems: [400, 404],
});

const deleteEndpoint = endpoint({
  method: 'delete',
  path: one,
  operationId: 'deleteBackfill',
  tag,
  summary: 'Cancel a backfill',
  description: 'As POST …/cancel. It stays readable.',
  request: { params: backfillParams },
  responses: answers200,
  problems: [400, 404, 409],
});

const SUMMARIES = {
  pause: [
    'Pause a backfill',
    'Nothing of it begins until it is resumed; what has begun goes on, retries included.',
  ],
  resume: ['Resume a backfill', 'It goes on where it was.'],
  cancel: [
    'Cancel a backfill',
    'Nothing of it that does not run runs any more; what runs goes on to its end.',
  ],
} as const satisfies Record<BackfillVerb, readonly [string, string]>;

const verbEndpoint = (verb: BackfillVerb) =>
  endpoint({
    method: 'post',
    path: `${one}/${verb}`,
    operationId: `${verb}Backfill`,
    tag,
    summary: SUMMARIES[verb][0],
    description: SUMMARIES[verb][1],
    request: { params: backfillParams, body: noOptions },
    responses: answers200,
    problems: [...BODY_PROBLEMS, 404, 409],
  });

export const backfillRoutes = (deps: ApiDeps) => [
  mounted(createEndpoint, async ({ params, headers, body, caller }) => {
    const request = { id: idOf(params), caller, body, idempotencyKey: headers['idempotency-key'] };
    const made = await createBackfill(deps, request);
    if (made.kind === 'planned') return answer(200, made.plan);
    const view = backfillViewOf(await watched(deps, made.backfill));
    return answer(201, view, { location: `/schedules/${request.id}/backfills/${view.id}` });
  }),

  mounted(listEndpoint, async ({ params, query }) => {
    const read = (limit: number) => listBackfills(deps, idOf(params), { ...query, limit });
    return answer(200, await pageWithin(query.limit, read, (items) => items.map(backfillSummaryOf)));
  }),

  mounted(getEndpoint, async ({ params }) => {
    const backfill = await assertBackfill(deps, idOf(params), params.backfill);
    return answer(200, backfillViewOf(await watched(deps, backfill)));
  }),

  mounted(deleteEndpoint, async ({ params, caller }) => {
    const request = { id: idOf(params), caller };
    const backfill = await changeBackfill(deps, request, params.backfill, 'cancel');
    return answer(200, backfillViewOf(await watched(deps, backfill)));
  }),

  ...(['pause', 'resume', 'cancel'] as const).map((verb) =>
    mounted(verbEndpoint(verb), async ({ params, caller }) => {
      const request = { id: idOf(params), caller };
      const backfill = await changeBackfill(deps, request, params.backfill, verb);
      return answer(200, backfillViewOf(await watched(deps, backfill)));
    }),
  ),
];
