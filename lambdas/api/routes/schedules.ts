import { scheduleId } from '../../core/ids.ts';
import { createSchedule } from '../create-schedule.ts';
import { definitionOf } from '../definition.ts';
import { deleteSchedule } from '../delete-schedule.ts';
import type { ApiDeps } from '../deps.ts';
import { getSchedule } from '../get-schedule.ts';
import { answer, mounted } from '../http/endpoint.ts';
import { listSchedules } from '../list-schedules.ts';
import { patchSchedule } from '../patch-schedule.ts';
import { definitionFor, readDefinition } from '../read-definition.ts';
import { replaceSchedule } from '../replace-schedule.ts';
import { scheduleViewOf } from '../views/schedule-view.ts';
import { idOf, made, pageOf, shown } from './answers.ts';
import * as schedules from './schedule-endpoints.ts';

export const scheduleRoutes = (deps: ApiDeps) => [
  mounted(schedules.createEndpoint, async ({ body, headers, caller }) => {
    const { group, name, ...rest } = body;
    const record = await createSchedule(deps, {
      id: scheduleId(group, name),
      caller,
      definition: definitionOf(rest),
      idempotencyKey: headers['idempotency-key'],
    });
    return made(record, caller.now);
  }),

  mounted(schedules.listEndpoint, async ({ query, caller }) => {
    const page = await listSchedules(deps, query);
    return answer(
      200,
      pageOf(page, (record) => scheduleViewOf(record, caller.now)),
    );
  }),

  mounted(schedules.getEndpoint, async ({ params, caller }) =>
    shown(await getSchedule(deps, idOf(params)), caller.now),
  ),

  mounted(schedules.replaceEndpoint, async ({ params, headers, body, caller }) => {
    const id = idOf(params);
    const { record, created } = await replaceSchedule(deps, {
      id,
      caller,
      definition: definitionFor(id, body),
      ifMatch: headers['if-match'],
      ifNoneMatch: headers['if-none-match'],
    });
    return created ? made(record, caller.now) : shown(record, caller.now);
  }),

  mounted(schedules.patchEndpoint, async ({ params, headers, body, caller }) => {
    const id = idOf(params);
    const request = { id, caller, patch: body, ifMatch: headers['if-match'] };
    return shown(await patchSchedule(deps, request, (merged) => readDefinition(id, merged)), caller.now);
  }),

  mounted(schedules.deleteEndpoint, async ({ params, headers, caller }) => {
    await deleteSchedule(deps, { id: idOf(params), caller, ifMatch: headers['if-match'] });
    return answer(204, undefined);
  }),
];
