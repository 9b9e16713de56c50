import { scheduleParams } from '../../contract/api/common.ts';
import { occurrenceView } from '../../contract/api/occurrence.ts';
import { comingBody, moveBody } from '../../contract/api/occurrence-verbs.ts';
import { type EpochMs, epochMs } from '../../core/time.ts';
import { moveTime } from '../coming/move.ts';
import { skipTime } from '../coming/skip.ts';
import { unskipTime } from '../coming/unskip.ts';
import type { ApiDeps } from '../deps.ts';
import { BODY_PROBLEMS } from '../http/documented-problems.ts';
import { answer, endpoint, mounted } from '../http/endpoint.ts';
import { occurrenceViewOf } from '../views/occurrence-view.ts';
import { idOf } from './answers.ts';

const tag = 'Schedules';
const path = '/schedules/{group}/{name}';
const problems = [...BODY_PROBLEMS, 404, 409] as const;

const skipEndpoint = endpoint({
  method: 'post',
  path: `${path}/skip`,
  tag,
  summary: 'Skip one coming time',
  description: 'Twice is no error. It stays skipped through an edit for which it is still a time.',
  request: { params: scheduleParams, body: comingBody },
  responses: { 200: { description: 'The record of it.', schema: occurrenceView } },
  problems,
});

const unskipEndpoint = endpoint({
  method: 'post',
  path: `${path}/unskip`,
  tag,
  summary: 'Take the skip of a coming time back',
  description: 'Possible until it would have been due.',
  request: { params: scheduleParams, body: comingBody },
  responses: { 200: { description: 'The occurrence, pending.', schema: occurrenceView } },
  problems,
});

const moveEndpoint = endpoint({
  method: 'post',
  path: `${path}/move`,
  tag,
  summary: 'Move one coming time',
  description:
    'It starts at another moment; its scheduled time and idempotency key stay. Moved to its own time it is as it was.',
  request: { params: scheduleParams, body: moveBody },
  responses: { 200: { description: 'The occurrence, with its new due time.', schema: occurrenceView } },
  problems,
});

/** The schema has checked that it is an instant. */
const instant = (text: string): EpochMs => epochMs(Date.parse(text));

export const comingRoutes = (deps: ApiDeps) => [
  mounted(skipEndpoint, async ({ params, body, caller }) => {
    const skipped = await skipTime(deps, idOf(params), instant(body.scheduledTime), caller);
    return answer(200, occurrenceViewOf(skipped));
  }),

  mounted(unskipEndpoint, async ({ params, body, caller }) => {
    const pending = await unskipTime(deps, idOf(params), instant(body.scheduledTime), caller);
    return answer(200, occurrenceViewOf(pending));
  }),

  mounted(moveEndpoint, async ({ params, body, caller }) => {
    const times = { scheduledTime: instant(body.scheduledTime), to: instant(body.to) };
    return answer(200, occurrenceViewOf(await moveTime(deps, idOf(params), times, caller)));
  }),
];
