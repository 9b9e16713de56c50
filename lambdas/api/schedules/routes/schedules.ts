import { scheduleId } from '../../../core/ids.ts';
import type { ApiDeps } from '../../deps.ts';
import { answer, mounted } from '../../http/endpoint.ts';
import { pageWithin } from '../../http/page.ts';
import { createSchedule, rehearseCreation } from '../create-schedule.ts';
import { definitionOf } from '../definition/definition.ts';
import { definitionFor, readDefinition } from '../definition/read-definition.ts';
import { deleteSchedule } from '../delete-schedule.ts';
import { getSchedule } from '../get-schedule.ts';
import { listSchedules } from '../list-schedules.ts';
import { patchSchedule, rehearsePatch } from '../patch-schedule.ts';
import { rehearseReplacement, replaceSchedule } from '../replace-schedule.ts';
import { createdAnswer, idOf, scheduleAnswer, scheduleViews } from './answers.ts';
import * as schedules from './endpoints.ts';

export const scheduleRoutes = (deps: ApiDeps) => [
  mounted(schedules.createEndpoint, async ({ body, headers, query, caller }) => {
    const { group, name, ...rest } = body;
    const request = {
      id: scheduleId(group, name),
      caller,
      definition: definitionOf(rest),
      stated: rest.state,
      idempotencyKey: headers['idempotency-key'],
    };
    if (query.dryRun) return answer(200, await rehearseCreation(deps, request));
    return createdAnswer(deps, await createSchedule(deps, request), caller.now);
  }),

  mounted(schedules.listEndpoint, async ({ query, caller }) => {
    const read = (limit: number) => listSchedules(deps, { ...query, limit });
    const page = await pageWithin(query.limit, read, (items) => scheduleViews(deps, items, caller.now));
    return answer(200, page);
  }),

  mounted(schedules.getEndpoint, async ({ params, caller }) =>
    scheduleAnswer(deps, await getSchedule(deps, idOf(params)), caller.now),
  ),

  mounted(schedules.replaceEndpoint, async ({ params, headers, query, body, caller }) => {
    const id = idOf(params);
    const request = {
      id,
      caller,
      definition: definitionFor(id, body),
      stated: body.state,
      pending: query.pending,
      ifMatch: headers['if-match'],
      ifNoneMatch: headers['if-none-match'],
    };
    if (query.dryRun) return answer(200, await rehearseReplacement(deps, request));
    const { record, created } = await replaceSchedule(deps, request);
    return created ? createdAnswer(deps, record, caller.now) : scheduleAnswer(deps, record, caller.now);
  }),

  mounted(schedules.patchEndpoint, async ({ params, headers, query, body, caller }) => {
    const id = idOf(params);
    const request = { id, caller, patch: body, pending: query.pending, ifMatch: headers['if-match'] };
    const read = (merged: unknown) => readDefinition(id, merged);
    if (query.dryRun) return answer(200, await rehearsePatch(deps, request, read));
    return scheduleAnswer(deps, await patchSchedule(deps, request, read), caller.now);
  }),

  mounted(schedules.deleteEndpoint, async ({ params, headers, caller }) => {
    await deleteSchedule(deps, { id: idOf(params), caller, ifMatch: headers['if-match'] });
    return answer(204, undefined);
  }),
];
