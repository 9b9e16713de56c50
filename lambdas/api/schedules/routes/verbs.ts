import * as z from 'zod';
import type { ApiDeps } from '../../deps.ts';
import { BODY_PROBLEMS, ETAG, LOCATION } from '../../http/documented-problems.ts';
import { answer, endpoint, mounted } from '../../http/endpoint.ts';
import { occurrenceView } from '../../occurrences/occurrence-schema.ts';
import { occurrenceViewOf } from '../../occurrences/occurrence-view.ts';
import { triggerBody } from '../../occurrences/verbs-schema.ts';
import { idempotencyKeySchema, ifMatchSchema, scheduleParams } from '../../request/common-schema.ts';
import { upcomingQuery, upcomingView } from '../../service/plan-schema.ts';
import { explainSchedule } from '../explain/explain-schedule.ts';
import { explainQuery, explanationView } from '../explain/explain-schema.ts';
import { pauseSchedule } from '../pause-schedule.ts';
import { resumeSchedule } from '../resume-schedule.ts';
import { pauseBody, resumeBody } from '../schema/pause-schema.ts';
import { scheduleView } from '../schema/schedule-schema.ts';
import { triggerSchedule } from '../trigger-schedule.ts';
import { upcoming } from '../upcoming.ts';
import { idOf, scheduleAnswer } from './answers.ts';

const tag = 'Schedules';
const path = '/schedules/{group}/{name}';
/** Where an occurrence leads to. */
const SELF = { 'path.id': '$response.body#/id' };
const OCCURRENCE_LINKS = { getOccurrence: SELF, cancelOccurrence: SELF, replayOccurrence: SELF };
const ifMatch = z.object({ 'if-match': ifMatchSchema });

const pauseEndpoint = endpoint({
  method: 'post',
  path: `${path}/pause`,
  operationId: 'pauseSchedule',
  tag,
  summary: 'Pause a schedule',
  description: 'Occurrences that have not started do not start, except manual ones. Idempotent.',
  request: { params: scheduleParams, headers: ifMatch, body: pauseBody },
  responses: { 200: { description: 'The schedule, paused.', schema: scheduleView, headers: ETAG } },
  problems: [...BODY_PROBLEMS, 404, 412],
});

const resumeEndpoint = endpoint({
  method: 'post',
  path: `${path}/resume`,
  operationId: 'resumeSchedule',
  tag,
  summary: 'Resume a schedule',
  description: 'Continues from now. Times that passed during the pause run only when `catchUp` says so.',
  request: { params: scheduleParams, headers: ifMatch, body: resumeBody },
  responses: { 200: { description: 'The schedule, no longer paused.', schema: scheduleView, headers: ETAG } },
  problems: [...BODY_PROBLEMS, 404, 412],
});

const triggerEndpoint = endpoint({
  method: 'post',
  path: `${path}/trigger`,
  operationId: 'triggerSchedule',
  tag,
  summary: 'Run a schedule once, now',
  description: 'Works in any state of the schedule, and leaves what is planned unchanged.',
  request: {
    params: scheduleParams,
    headers: z.object({ 'idempotency-key': idempotencyKeySchema }),
    body: triggerBody,
  },
  responses: {
    202: {
      description: 'The occurrence that will run.',
      schema: occurrenceView,
      headers: LOCATION,
      links: OCCURRENCE_LINKS,
    },
  },
  problems: [...BODY_PROBLEMS, 404, 422, 429],
});

const upcomingEndpoint = endpoint({
  method: 'get',
  path: `${path}/upcoming`,
  operationId: 'listUpcomingTimes',
  tag,
  summary: 'The next times of a schedule',
  request: { params: scheduleParams, query: upcomingQuery },
  responses: { 200: { description: 'The next times.', schema: upcomingView } },
  problems: [400, 404],
});

const explainEndpoint = endpoint({
  method: 'get',
  path: `${path}/explain`,
  operationId: 'explainTime',
  tag,
  summary: 'Why it did, did not or will not run at a time',
  description:
    'Answers from the ledger, the definition in force at that time and the state of the schedule; works for deleted ones too.',
  request: { params: scheduleParams, query: explainQuery },
  responses: { 200: { description: 'What decides, and what it says.', schema: explanationView } },
  problems: [400, 404],
});

export const scheduleVerbs = (deps: ApiDeps) => [
  mounted(pauseEndpoint, async ({ params, headers, body, caller }) => {
    const request = { id: idOf(params), caller, ...body, ifMatch: headers['if-match'] };
    return scheduleAnswer(deps, await pauseSchedule(deps, request), caller.now);
  }),

  mounted(resumeEndpoint, async ({ params, headers, body, caller }) => {
    const request = { id: idOf(params), caller, ...body, ifMatch: headers['if-match'] };
    return scheduleAnswer(deps, await resumeSchedule(deps, request), caller.now);
  }),

  mounted(triggerEndpoint, async ({ params, headers, body: own, caller }) => {
    const request = { id: idOf(params), caller, ...own, idempotencyKey: headers['idempotency-key'] };
    const body = occurrenceViewOf(await triggerSchedule(deps, request));
    return answer(202, body, { location: `/occurrences/${body.id}` });
  }),

  mounted(upcomingEndpoint, async ({ params, query, caller }) =>
    answer(200, await upcoming(deps, idOf(params), query.count, caller.now)),
  ),

  mounted(explainEndpoint, async ({ params, query, caller }) =>
    answer(200, await explainSchedule(deps, idOf(params), query.at, caller.now)),
  ),
];
