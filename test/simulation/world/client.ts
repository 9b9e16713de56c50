import type * as z from 'zod';
import type { CreateBackfillBody } from '../../../lambdas/api/backfills/backfill-schema.ts';
import { changeBackfill } from '../../../lambdas/api/backfills/change-state.ts';
import { createBackfill } from '../../../lambdas/api/backfills/create-backfill.ts';
import { calendarBody } from '../../../lambdas/api/calendars/calendar-schema.ts';
import { putCalendar } from '../../../lambdas/api/calendars/put-calendar.ts';
import type { ApiDeps, Caller } from '../../../lambdas/api/deps.ts';
import { groupBody } from '../../../lambdas/api/groups/group-schema.ts';
import { setGroup } from '../../../lambdas/api/groups/settings.ts';
import { cancelOccurrence } from '../../../lambdas/api/occurrences/cancel-occurrence.ts';
import { type ReplayInput, replayOccurrence } from '../../../lambdas/api/occurrences/replay.ts';
import { replaySchedule } from '../../../lambdas/api/occurrences/replay-many.ts';
import { replayManyBody } from '../../../lambdas/api/occurrences/verbs-schema.ts';
import { moveTime } from '../../../lambdas/api/overrides/move-time.ts';
import { skipTime } from '../../../lambdas/api/overrides/skip-time.ts';
import { unskipTime } from '../../../lambdas/api/overrides/unskip-time.ts';
import { claimFromQueue } from '../../../lambdas/api/pull/claim-pulled.ts';
import { completeAttempt } from '../../../lambdas/api/pull/complete.ts';
import { failAttempt } from '../../../lambdas/api/pull/fail.ts';
import { heartbeat } from '../../../lambdas/api/pull/heartbeat.ts';
import { createSchedule } from '../../../lambdas/api/schedules/create-schedule.ts';
import { deleteSchedule } from '../../../lambdas/api/schedules/delete-schedule.ts';
import { pauseSchedule } from '../../../lambdas/api/schedules/pause-schedule.ts';
import { replaceSchedule } from '../../../lambdas/api/schedules/replace-schedule.ts';
import { type ResumeRequest, resumeSchedule } from '../../../lambdas/api/schedules/resume-schedule.ts';
import { type TriggerRequest, triggerSchedule } from '../../../lambdas/api/schedules/trigger-schedule.ts';
import type { Backfill } from '../../../lambdas/core/backfill/backfill.ts';
import {
  type OccurrenceId,
  occurrenceId,
  parseOccurrenceId,
  type ScheduleId,
} from '../../../lambdas/core/ids.ts';
import type { Definition } from '../../../lambdas/core/schedule/definition.ts';
import { type EpochMs, toIso } from '../../../lambdas/core/time.ts';
import type { History } from '../oracles/history.ts';
import type { GroupLimits } from '../oracles/limits.ts';

export type ApiCall<Answer> = (deps: ApiDeps, caller: Caller) => Promise<Answer>;

/** Carries a request out, about a schedule or about none. */
type Request = <Answer>(id: ScheduleId | undefined, call: ApiCall<Answer>) => Promise<Answer>;

/** What is to be known afterwards of what clients asked for. */
interface Notes {
  readonly history: History;
  readonly limits: GroupLimits;
  readonly now: () => EpochMs;
}

/** The API as a client of it sees it. Each answers when its request was answered. */
export function apiClient(request: Request, { history, limits, now }: Notes) {
  // Worlds share tables, and an Idempotency-Key is remembered for a day.
  const ownKey = (id: ScheduleId, key: string | undefined) =>
    key === undefined ? undefined : `${id}#${key}`;
  const define = (id: ScheduleId, { pauseAfterFailures }: Definition) => {
    if (pauseAfterFailures !== undefined) history.mayChangeItself(id);
  };
  return {
    async create(id: ScheduleId, definition: Definition, idempotencyKey?: string): Promise<void> {
      define(id, definition);
      const key = ownKey(id, idempotencyKey);
      await request(id, (deps, caller) =>
        createSchedule(deps, { id, definition, caller, idempotencyKey: key }),
      );
    },
    async edit(id: ScheduleId, definition: Definition, pending?: 'keep' | 'cancel'): Promise<void> {
      define(id, definition);
      await request(id, (deps, caller) => replaceSchedule(deps, { id, definition, caller, pending }));
    },
    async pause(id: ScheduleId, until?: EpochMs): Promise<void> {
      if (until !== undefined) history.mayChangeItself(id);
      const end = until === undefined ? undefined : toIso(until);
      await request(id, (deps, caller) => pauseSchedule(deps, { id, caller, until: end }));
    },
    async resume(id: ScheduleId, catchUp?: ResumeRequest['catchUp']): Promise<void> {
      if (catchUp !== undefined) history.askedToMakeUp.add(id);
      await request(id, (deps, caller) =>
        resumeSchedule(deps, { id, caller, ...(catchUp !== undefined && { catchUp }) }),
      );
    },
    async delete(id: ScheduleId): Promise<void> {
      await request(id, (deps, caller) => deleteSchedule(deps, { id, caller }));
    },
    async trigger(
      id: ScheduleId,
      idempotencyKey?: string,
      chosen: Pick<TriggerRequest, 'overlap' | 'input'> = {},
    ): Promise<void> {
      const key = ownKey(id, idempotencyKey);
      history.askedToTrigger(id, key, now());
      const made = await request(id, (deps, caller) =>
        triggerSchedule(deps, { id, caller, idempotencyKey: key, ...chosen }),
      );
      history.triggersOf(id).answered.add(occurrenceId(made));
    },

    async skip(id: ScheduleId, time: EpochMs): Promise<void> {
      await request(id, (deps, caller) => skipTime(deps, id, time, caller));
    },
    async unskip(id: ScheduleId, time: EpochMs): Promise<void> {
      await request(id, (deps, caller) => unskipTime(deps, id, time, caller));
    },
    async move(id: ScheduleId, scheduledTime: EpochMs, to: EpochMs): Promise<void> {
      await request(id, (deps, caller) => moveTime(deps, id, { scheduledTime, to }, caller));
    },

    async cancel(id: OccurrenceId): Promise<void> {
      await request(scheduleOf(id), (deps, caller) => cancelOccurrence(deps, id, caller));
    },
    async replay(id: OccurrenceId, input: ReplayInput = 'original'): Promise<void> {
      history.askedToReplay(id);
      await request(scheduleOf(id), (deps, caller) => replayOccurrence(deps, id, input, caller));
    },
    /** `candidates`: every occurrence that it may start again. */
    async replayMany(
      id: ScheduleId,
      body: Partial<z.input<typeof replayManyBody>>,
      candidates: readonly OccurrenceId[],
    ): Promise<void> {
      for (const candidate of candidates) history.askedToReplay(candidate);
      const whole = replayManyBody.parse({ status: 'failed', ...body });
      await request(id, (deps, caller) => replaySchedule(deps, id, whole, caller));
    },
    async complete(id: OccurrenceId, completionToken: string): Promise<void> {
      await request(scheduleOf(id), (deps, caller) => completeAttempt(deps, id, { completionToken }, caller));
    },
    async fail(id: OccurrenceId, completionToken: string): Promise<void> {
      const body = { completionToken, retryable: true };
      await request(scheduleOf(id), (deps, caller) => failAttempt(deps, id, body, caller));
    },
    async heartbeat(id: OccurrenceId, token: string): Promise<void> {
      await request(scheduleOf(id), (deps, caller) => heartbeat(deps, id, token, caller));
    },
    pull: (queue: string, max: number) =>
      request(undefined, (deps, caller) => claimFromQueue(deps, queue, { max, waitSeconds: 0 }, caller)),

    async backfill(
      id: ScheduleId,
      body: Pick<CreateBackfillBody, 'from' | 'to'> & Partial<CreateBackfillBody>,
      idempotencyKey: string,
    ): Promise<Backfill> {
      const whole = { order: 'oldest-first', maxConcurrent: 1, reprocess: 'none', ...body } as const;
      const key = ownKey(id, idempotencyKey);
      const made = await request(id, (deps, caller) =>
        createBackfill(deps, { id, body: { ...whole, dryRun: false }, caller, idempotencyKey: key }),
      );
      if (made.kind !== 'made') throw new Error('A backfill that was no dry run made nothing.');
      return made.backfill;
    },
    async changeBackfill(
      { schedule: id, id: token }: Backfill,
      verb: 'pause' | 'resume' | 'cancel',
    ): Promise<void> {
      const changed = await request(id, (deps, caller) => changeBackfill(deps, { id, caller }, token, verb));
      history.answeredBackfill(changed);
    },
    limitGroup(group: string, concurrencyLimit: number | null): Promise<void> {
      return this.setGroup(group, { concurrencyLimit });
    },
    async setGroup(group: string, settings: z.input<typeof groupBody>): Promise<void> {
      const limit = settings.concurrencyLimit ?? undefined;
      limits.set(group, limit, now(), false);
      await request(undefined, (deps, caller) => setGroup(deps, group, groupBody.parse(settings), caller));
      limits.set(group, limit, now(), true);
    },
    /** Moves every schedule that uses it to the new version. */
    async putCalendar(name: string, dates: readonly string[]): Promise<void> {
      const body = calendarBody.parse({ dates });
      await request(undefined, (deps, caller) => putCalendar(deps, { name, body, caller }));
      for (const id of history.schedules) await history.look(id);
    },
  };
}

function scheduleOf(id: OccurrenceId): ScheduleId {
  const key = parseOccurrenceId(id);
  if (!key) throw new Error(`Not an occurrence id: ${id}`);
  return key.schedule;
}

export type ApiClient = ReturnType<typeof apiClient>;
