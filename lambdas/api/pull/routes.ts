import * as z from 'zod';
import type { ApiDeps } from '../deps.ts';
import { BODY_PROBLEMS } from '../http/documented-problems.ts';
import { answer, endpoint, mounted } from '../http/endpoint.ts';
import { occurrenceParams, occurrenceView } from '../occurrences/occurrence-schema.ts';
import { occurrenceViewOf } from '../occurrences/occurrence-view.ts';
import { idempotencyKeySchema } from '../request/common-schema.ts';
import { claimFromQueue } from './claim-pulled.ts';
import { completeAttempt } from './complete.ts';
import { failAttempt } from './fail.ts';
import { heartbeat } from './heartbeat.ts';
import {
  completeBody,
  failBody,
  heartbeatBody,
  heartbeatView,
  pullBody,
  pulledView,
  pullParams,
} from './pull-schema.ts';

const tag = 'Outside work';

/** What whoever holds an attempt's completion token may say of it. */
const attemptEndpoint = <Verb extends string, Body extends z.ZodType, View extends z.ZodType>(
  verb: Verb,
  body: Body,
  [summary, description]: readonly [string, string],
  answered: { readonly description: string; readonly schema: View },
) =>
  endpoint({
    method: 'post',
    path: `/occurrences/{id}/${verb}`,
    operationId: `${verb}Attempt`,
    tag,
    summary,
    description,
    request: { params: occurrenceParams, body },
    responses: { 200: answered },
    problems: [...BODY_PROBLEMS, 404, 409],
  });

const completeEndpoint = attemptEndpoint(
  'complete',
  completeBody,
  [
    'Complete an attempt',
    'One that its target took on, or that was pulled. Sent again after it was done, it is done.',
  ],
  { description: 'The occurrence, succeeded.', schema: occurrenceView },
);

const failEndpoint = attemptEndpoint(
  'fail',
  failBody,
  ['Fail an attempt', 'The retry policy says what follows. One that was asked to stop is cancelled.'],
  { description: 'The occurrence as it is now.', schema: occurrenceView },
);

const heartbeatEndpoint = attemptEndpoint(
  'heartbeat',
  heartbeatBody,
  ['Extend an attempt', 'By the `heartbeatTimeout` of its schedule, or else the `timeout`, from now.'],
  { description: 'Until when the lease holds.', schema: heartbeatView },
);

const pullEndpoint = endpoint({
  method: 'post',
  path: '/pull/{queue}/claim',
  operationId: 'claimFromQueue',
  tag,
  summary: 'Claim due occurrences of a queue',
  description:
    'For schedules with a pull target. Returns an empty list when nothing is due. What is not ended in time is handed out again. Large inputs ' +
    'may make it fewer than `max`: an answer holds about 1 MB of them. A claim that is sent again with its ' +
    'Idempotency-Key, since its answer was lost, is given the same items under the same leases, as far as they are ' +
    'still at work: use a new key for each claim. Sent while the first is still claiming, it waits up to 5 s for that. If ' +
    'the first takes longer, the answer lists what it has claimed by then. Anything that it claims later is only in the ' +
    'answer to the first, or in that to another repetition; if nobody works on it, it is handed out again after its lease.',
  request: {
    params: pullParams,
    headers: z.object({ 'idempotency-key': idempotencyKeySchema }),
    body: pullBody,
  },
  responses: { 200: { description: 'What was claimed, each under a lease.', schema: pulledView } },
  problems: [...BODY_PROBLEMS, 422],
});

export const outsideRoutes = (deps: ApiDeps) => [
  mounted(completeEndpoint, async ({ params, body, caller }) =>
    answer(200, occurrenceViewOf(await completeAttempt(deps, params.id, body, caller))),
  ),

  mounted(failEndpoint, async ({ params, body, caller }) =>
    answer(200, occurrenceViewOf(await failAttempt(deps, params.id, body, caller))),
  ),

  mounted(heartbeatEndpoint, async ({ params, body, caller }) =>
    answer(200, await heartbeat(deps, params.id, body.completionToken, caller)),
  ),

  mounted(pullEndpoint, async ({ params, body, headers, caller }) => {
    const items = await claimFromQueue(deps, params.queue, body, caller, headers['idempotency-key']);
    return answer(200, { items });
  }),
];
