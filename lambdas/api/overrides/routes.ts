import type * as z from 'zod';
import type { ScheduleId } from '../../core/ids.ts';
import type { Occurrence } from '../../core/occurrence/occurrence.ts';
import type { ApiDeps, Caller } from '../deps.ts';
import { BODY_PROBLEMS } from '../http/documented-problems.ts';
import { answer, endpoint, mounted } from '../http/endpoint.ts';
import { occurrenceView } from '../occurrences/occurrence-schema.ts';
import { occurrenceViewOf } from '../occurrences/occurrence-view.ts';
import { comingBody, moveBody } from '../occurrences/verbs-schema.ts';
import { scheduleParams } from '../request/common-schema.ts';
import { momentFor } from '../request/moment.ts';
import { idOf } from '../schedules/routes/answers.ts';
import { moveTime } from './move-time.ts';
import { skipTime } from './skip-time.ts';
import { unskipTime } from './unskip-time.ts';

type Verb = 'skip' | 'unskip' | 'move';

/** What a person decides about one coming time: the body names it, the answer is the record of it. */
const comingRoute = <Body extends z.ZodType>(
  verb: Verb,
  body: Body,
  texts: { readonly summary: string; readonly description: string; readonly answered: string },
  decide: (id: ScheduleId, body: z.output<Body>, caller: Caller) => Promise<Occurrence>,
) =>
  mounted(
    endpoint({
      method: 'post',
      path: `/schedules/{group}/{name}/${verb}`,
      operationId: `${verb}ComingTime`,
      tag: 'Schedules',
      summary: texts.summary,
      description: texts.description,
      request: { params: scheduleParams, body },
      responses: { 200: { description: texts.answered, schema: occurrenceView } },
      problems: [...BODY_PROBLEMS, 404, 409],
    }),
    async ({ params, body: given, caller }) =>
      answer(200, occurrenceViewOf(await decide(idOf(params), given as z.output<Body>, caller))),
  );

export const comingRoutes = (deps: ApiDeps) => [
  comingRoute(
    'skip',
    comingBody,
    {
      summary: 'Skip one coming time',
      description: 'Idempotent. It stays skipped after an edit if it is still a time of the schedule.',
      answered: 'The record of the skip.',
    },
    async (id, { scheduledTime }, caller) =>
      skipTime(deps, id, await momentFor(deps, id, 'scheduledTime', scheduledTime), caller),
  ),

  comingRoute(
    'unskip',
    comingBody,
    {
      summary: 'Undo the skip of a coming time',
      description: 'Allowed until the original due time.',
      answered: 'The occurrence, pending.',
    },
    async (id, { scheduledTime }, caller) =>
      unskipTime(deps, id, await momentFor(deps, id, 'scheduledTime', scheduledTime), caller),
  ),

  comingRoute(
    'move',
    moveBody,
    {
      summary: 'Move one coming time',
      description:
        'It starts at another moment; its scheduled time and idempotency key stay the same. Moving it to its own time ' +
        'undoes the move.',
      answered: 'The occurrence, with its new due time.',
    },
    async (id, { scheduledTime, to }, caller) => {
      const times = {
        scheduledTime: await momentFor(deps, id, 'scheduledTime', scheduledTime),
        to: await momentFor(deps, id, 'to', to),
      };
      return moveTime(deps, id, times, caller);
    },
  ),
];
