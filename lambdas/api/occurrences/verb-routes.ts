import type { ApiDeps } from '../deps.ts';
import { BODY_PROBLEMS } from '../http/documented-problems.ts';
import { answer, endpoint, mounted } from '../http/endpoint.ts';
import { pageWithin } from '../http/page.ts';
import { noOptions, scheduleParams } from '../request/common-schema.ts';
import { idOf } from '../schedules/routes/answers.ts';
import { cancelOccurrence } from './cancel-occurrence.ts';
import { listAttention } from './list-attention.ts';
import { occurrenceList, occurrenceParams, occurrenceView } from './occurrence-schema.ts';
import { occurrenceViewOf } from './occurrence-view.ts';
import { replayOccurrence } from './replay.ts';
import { replaySchedule } from './replay-many.ts';
import { attentionQuery, replayBody, replayedView, replayManyBody } from './verbs-schema.ts';

const tag = 'Occurrences';

const attentionEndpoint = endpoint({
  method: 'get',
  path: '/occurrences',
  operationId: 'listAttention',
  tag,
  summary: 'List what failed or was missed on a day',
  description: 'Across schedules, latest first. A page may hold fewer than `limit`.',
  request: { query: attentionQuery },
  responses: { 200: { description: 'A page of occurrences.', schema: occurrenceList } },
  problems: [400],
});

const cancelEndpoint = endpoint({
  method: 'post',
  path: '/occurrences/{id}/cancel',
  operationId: 'cancelOccurrence',
  tag,
  summary: 'Cancel an occurrence',
  description:
    'A running occurrence is asked to stop: its worker aborts the call when it next renews the lease.',
  request: { params: occurrenceParams, body: noOptions },
  responses: {
    200: { description: 'It had not started and is cancelled.', schema: occurrenceView },
    202: { description: 'It is running and was asked to stop.', schema: occurrenceView },
  },
  problems: [...BODY_PROBLEMS, 404, 409],
});

const replayEndpoint = endpoint({
  method: 'post',
  path: '/occurrences/{id}/replay',
  operationId: 'replayOccurrence',
  tag,
  summary: 'Run a finished occurrence again',
  description: 'Starts a new round of attempts with the same id, idempotency key and revision.',
  request: { params: occurrenceParams, body: replayBody },
  responses: { 202: { description: 'The occurrence, pending again.', schema: occurrenceView } },
  problems: [...BODY_PROBLEMS, 404, 409, 429],
});

const replayManyEndpoint = endpoint({
  method: 'post',
  path: '/schedules/{group}/{name}/replay',
  operationId: 'replayOccurrences',
  tag,
  summary: 'Run finished occurrences of a schedule again',
  description:
    'Oldest first, spread by the rate. When the answer has a cursor, send the request again with it for the rest.',
  request: { params: scheduleParams, body: replayManyBody },
  responses: { 202: { description: 'How many were started again.', schema: replayedView } },
  problems: [...BODY_PROBLEMS, 404, 429],
});

export const occurrenceVerbs = (deps: ApiDeps) => [
  mounted(attentionEndpoint, async ({ query, caller }) => {
    const read = (limit: number) => listAttention(deps, { ...query, limit }, caller);
    return answer(200, await pageWithin(query.limit, read, (items) => items.map(occurrenceViewOf)));
  }),

  mounted(cancelEndpoint, async ({ params, caller }) => {
    const { kind, occurrence } = await cancelOccurrence(deps, params.id, caller);
    return answer(kind === 'requested' ? 202 : 200, occurrenceViewOf(occurrence));
  }),

  mounted(replayEndpoint, async ({ params, body, caller }) =>
    answer(202, occurrenceViewOf(await replayOccurrence(deps, params.id, body.input, caller))),
  ),

  mounted(replayManyEndpoint, async ({ params, body, caller }) =>
    answer(202, await replaySchedule(deps, idOf(params), body, caller)),
  ),
];
