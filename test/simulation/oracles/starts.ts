import { occurrenceKeyOf, schedulePk } from '../../../lambdas/adapters/dynamodb/keys.ts';
import { occurrenceId, type ScheduleId } from '../../../lambdas/core/ids.ts';
import { isMoved } from '../../../lambdas/core/occurrence/notes.ts';
import type { Definition } from '../../../lambdas/core/schedule/definition.ts';
import { headRecurrence } from '../../../lambdas/core/schedule/head-recurrence.ts';
import type { EpochMs } from '../../../lambdas/core/time.ts';
import type { Item } from '../world/observer.ts';
import type { TargetCall } from '../world/target.ts';
import type { World } from '../world/world.ts';
import { replaysOf } from './audit.ts';
import { lateFaults, maxAgeFaults, type TimelyCall } from './lateness.ts';
import type { Ledger } from './ledger.ts';
import { orderFaults } from './order.ts';
import { waitsFor } from './slots-read.ts';

/** More later times than any budget. */
const MOST_TIMES = 1_000;

/** What must hold of when attempts started, and in which order. */
export function startFaults(world: World, ledgers: ReadonlyMap<ScheduleId, Ledger>): string[] {
  return world.history.schedules.flatMap((id) => {
    const { revisions } = ledgers.get(id) ?? { revisions: [] };
    const calls = world.targetCalls
      .filter(({ invocation }) => invocation.schedule === id)
      .flatMap((call) => {
        const own = revisions.find(({ revision }) => revision === call.invocation.revision);
        // What goes on by a later definition is started by its rules, or by both in turn.
        const isEdited = revisions.some(
          ({ revision, createdAt }) => revision > call.invocation.revision && createdAt <= call.at,
        );
        return own && !isEdited && call.item
          ? [{ ...call, item: call.item, definition: own.definition }]
          : [];
      })
      .filter(({ item }) => replaysOf(item) === 0);
    const first = calls.filter(({ invocation: { attempt, kind } }) => attempt === 1 && kind === 'scheduled');
    return [
      ...orderFaults(first.filter(isInOrder).map(firstCall)),
      ...lateFaults(timely(world, id, first)),
      ...maxAgeFaults(calls.filter(({ invocation }) => invocation.attempt > 1).map(retried)),
    ];
  });
}

type Known = TargetCall & { readonly item: Item; readonly definition: Definition };

const isInOrder = ({ item, definition }: Known) => (item.overlap ?? definition.overlap) === 'buffer-all';

function firstCall({ at, invocation: { id, schedule, scheduledTime }, item }: Known) {
  const [dueAt, createdAt] = [item.due_at as EpochMs, item.created_at as EpochMs];
  return { id, schedule, scheduledTime, dueAt, createdAt, at };
}

function retried({ at, invocation: { id, attempt }, item, definition }: Known) {
  return { id, attempt, at, firstDueAt: item.first_due_at as EpochMs, maxAge: definition.retry.maxAge };
}

/** Those to which nothing but the pipeline can have happened. */
function timely(world: World, schedule: ScheduleId, calls: readonly Known[]): TimelyCall[] {
  const waited = waitedIds(world, schedule);
  const eras = world.history.eras.get(schedule) ?? [];
  if (world.history.askedToMakeUp.has(schedule)) return [];
  return calls.flatMap(({ invocation: { id, scheduledTime, revision }, item, definition }) => {
    const index = eras.findIndex(
      (one, place) =>
        one.revision === revision && (eras[place + 1]?.from ?? Number.POSITIVE_INFINITY) > scheduledTime,
    );
    const [era, until] = [eras[index], eras[index + 1]?.from ?? Number.POSITIVE_INFINITY];
    if (!era || definition.window !== undefined || isOneShot(definition)) return [];
    if (waited.has(id) || isMoved({ notes: [], ...item } as never)) return [];
    const recurrence = headRecurrence(era.head);
    const timesUntil = (end: EpochMs) => {
      const times: EpochMs[] = [];
      for (
        let next = recurrence.next(scheduledTime)?.at;
        next !== undefined && next <= Math.min(end, until) && times.length < MOST_TIMES;
        next = recurrence.next(next)?.at
      )
        times.push(next);
      return times;
    };
    const [dueAt, at] = [item.due_at as EpochMs, item.attempt_started_at as EpochMs];
    return [{ id, scheduledTime, dueAt, at, catchUp: definition.catchUp, timesUntil }];
  });
}

const isOneShot = ({ expression }: Definition) =>
  typeof expression === 'string' && /^\s*at\s*\(/i.test(expression);

/** The stream has every state that an occurrence was in. */
function waitedIds({ outbox }: World, schedule: ScheduleId): Set<string> {
  const pk = schedulePk(schedule);
  const waiting = outbox.seen.filter(
    ({ dynamodb }) =>
      dynamodb?.Keys?.pk?.S === pk && waitsFor({ waiting_for: dynamodb?.NewImage?.waiting_for?.S }),
  );
  return new Set(
    waiting.map(({ dynamodb }) => occurrenceId(occurrenceKeyOf({ pk, sk: dynamodb?.Keys?.sk?.S ?? '' }))),
  );
}
