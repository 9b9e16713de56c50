import { type Dispatched, type OccurrenceKey, parseOccurrenceId } from '../../lambdas/core/ids.ts';
import type {
  Coalesced,
  CoalesceReason,
  Occurrence,
  PendingOccurrence,
  RunningOccurrence,
} from '../../lambdas/core/occurrence/occurrence.ts';
import {
  type PlannedOccurrence,
  type PlannedRecord,
  rangeRecord,
} from '../../lambdas/core/planning/planner.ts';
import type { ScheduleChange } from '../../lambdas/core/ports/schedule-store.ts';
import type { Definition } from '../../lambdas/core/schedule/definition.ts';
import type { ScheduleHead } from '../../lambdas/core/schedule/head.ts';
import { type EpochMs, epochMs, MINUTE } from '../../lambdas/core/time.ts';
import { at, definition, head, NOON, revision } from './fixtures.ts';
import type { Stores } from './stores.ts';

/** What a change carries when a test does not care. */
export function change(next: ScheduleHead, changes: Partial<ScheduleChange> = {}): ScheduleChange {
  return {
    expected: null,
    head: next,
    cancel: [],
    cancelReason: 'superseded',
    create: [],
    records: [],
    now: NOON,
    ...changes,
  };
}

export function planned(
  of: ScheduleHead,
  time: EpochMs,
  changes: Partial<PlannedOccurrence> = {},
): PlannedOccurrence {
  return {
    schedule: of.id,
    scheduledTime: time,
    revision: of.revision,
    kind: 'scheduled',
    dueAt: time,
    notes: [],
    ...changes,
  };
}

/** Stores a schedule with pending occurrences at `times`; its next time is an hour off. */
export async function seedSchedule(
  stores: Stores,
  times: readonly EpochMs[] = [],
  options: { readonly head?: Partial<ScheduleHead>; readonly definition?: Partial<Definition> } = {},
): Promise<ScheduleHead> {
  const from = definition(options.definition);
  const made = head({ nextDueAt: at(60 * MINUTE), ...options.head }, from);
  const create = times.map((time) => planned(made, time));
  const result = await stores.schedules.applyChange(change(made, { revision: revision(made, from), create }));
  if (result.kind !== 'applied') throw new Error('The schedule was not stored.');
  return made;
}

export function keyOf(of: ScheduleHead, time: EpochMs): OccurrenceKey {
  return { schedule: of.id, scheduledTime: time, revision: of.revision, kind: 'scheduled' };
}

/** As a message names it; the first time when nothing else is said. */
export function dispatched(key: OccurrenceKey, dispatchSeq = 1): Dispatched {
  return { ...key, dispatchSeq };
}

/** The message that the queue holds for an occurrence as it is now. */
export async function messageOf(stores: Pick<Stores, 'occurrences'>, id: string, dueAt: number) {
  const key = parseOccurrenceId(id);
  const found = key && (await stores.occurrences.readOccurrence(key));
  const places = found?.places ?? {};
  const has = Object.keys(places).length > 0;
  return { id, seq: found?.dispatchSeq ?? 1, dueAt, ...(has && { places }) };
}

/** The ledger record of nominal times that were not created. */
export function rangeOf(
  of: ScheduleHead,
  coalesced: Coalesced,
  reason: CoalesceReason = 'catch-up',
): PlannedRecord {
  return rangeRecord({ ...of, schedule: of.id }, coalesced, reason);
}

export async function readPending(stores: Stores, key: OccurrenceKey): Promise<PendingOccurrence> {
  return expectStatus(await stores.occurrences.readOccurrence(key), 'pending');
}

/** Claims an occurrence for a minute from `now`. */
export async function claimed(
  stores: Stores,
  key: OccurrenceKey,
  now: EpochMs,
  holder = 'w1',
): Promise<RunningOccurrence> {
  const pending = await readPending(stores, key);
  const claim = await stores.occurrences.claim(pending, { holder, expiresAt: epochMs(now + MINUTE) }, now);
  if (claim.kind !== 'claimed')
    throw new Error(`Not claimed: it is ${claim.occurrence?.status ?? 'absent'}.`);
  return claim.occurrence;
}

export function expectStatus<Status extends Occurrence['status']>(
  occurrence: Occurrence | undefined,
  status: Status,
): Extract<Occurrence, { status: Status }> {
  if (occurrence?.status !== status)
    throw new Error(`It is ${occurrence?.status ?? 'absent'}, not ${status}.`);
  return occurrence as Extract<Occurrence, { status: Status }>;
}
