import { createSchedule } from '../../../lambdas/api/create-schedule.ts';
import { deleteSchedule } from '../../../lambdas/api/delete-schedule.ts';
import type { Caller, ChangeDeps } from '../../../lambdas/api/deps.ts';
import { pauseSchedule } from '../../../lambdas/api/pause-schedule.ts';
import { replaceSchedule } from '../../../lambdas/api/replace-schedule.ts';
import { resumeSchedule } from '../../../lambdas/api/resume-schedule.ts';
import { triggerSchedule } from '../../../lambdas/api/trigger-schedule.ts';
import type { ScheduleId } from '../../../lambdas/core/ids.ts';
import type { Definition } from '../../../lambdas/core/schedule.ts';

export type ApiCall = (deps: ChangeDeps, caller: Caller) => Promise<unknown>;

/** The API as a client of it sees it. Each answers when its request was answered. */
export function apiClient(request: (id: ScheduleId, call: ApiCall) => Promise<void>) {
  // Worlds share tables, and an Idempotency-Key is remembered for a day.
  const ownKey = (id: ScheduleId, key: string | undefined) =>
    key === undefined ? undefined : `${id}#${key}`;
  return {
    create: (id: ScheduleId, definition: Definition, idempotencyKey?: string) =>
      request(id, (deps, caller) =>
        createSchedule(deps, { id, definition, caller, idempotencyKey: ownKey(id, idempotencyKey) }),
      ),
    edit: (id: ScheduleId, definition: Definition) =>
      request(id, (deps, caller) => replaceSchedule(deps, { id, definition, caller })),
    pause: (id: ScheduleId) => request(id, (deps, caller) => pauseSchedule(deps, { id, caller })),
    resume: (id: ScheduleId) => request(id, (deps, caller) => resumeSchedule(deps, { id, caller })),
    delete: (id: ScheduleId) => request(id, (deps, caller) => deleteSchedule(deps, { id, caller })),
    trigger: (id: ScheduleId, idempotencyKey?: string) =>
      request(id, (deps, caller) =>
        triggerSchedule(deps, { id, caller, idempotencyKey: ownKey(id, idempotencyKey) }),
      ),
  };
}

export type ApiClient = ReturnType<typeof apiClient>;
