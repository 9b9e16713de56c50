import { createHash } from 'node:crypto';
import { hash48 } from './hash.ts';
import { type EpochMs, parseInstant, toIso } from './time.ts';

/** `group/name`: the identity of a schedule for ever, also after it is deleted and made again. */
export type ScheduleId = string & { readonly __brand: 'ScheduleId' };
/** `group~name~20261129T090000000Z~3`: readable, safe in a URL path, derived and never drawn. */
export type OccurrenceId = string & { readonly __brand: 'OccurrenceId' };

/** Group and name: letters, digits, `_`, `-` and `.`; 1 to 64 characters; starts with a letter or digit. */
export const NAME_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** The group of what Punctual runs for itself: no name that `NAME_PATTERN` takes, and in no list. */
export const RESERVED_GROUP = '_punctual';

export function isReserved(id: ScheduleId): boolean {
  return splitScheduleId(id).group === RESERVED_GROUP;
}

export function scheduleId(group: string, name: string): ScheduleId {
  return `${group}/${name}` as ScheduleId;
}

export function splitScheduleId(id: ScheduleId): { readonly group: string; readonly name: string } {
  const slash = id.indexOf('/');
  return { group: id.slice(0, slash), name: id.slice(slash + 1) };
}

/**
 * Why an occurrence exists: its recurrence said so, a person did, or a backfill of past times. A `range` is none, but
 * the record of nominal times that were not created.
 */
export type OccurrenceKind = 'scheduled' | 'manual' | 'backfill' | 'range';

export const OCCURRENCE_KINDS = [
  'scheduled',
  'manual',
  'backfill',
  'range',
] as const satisfies readonly OccurrenceKind[];

/**
 * What identifies an occurrence. `token` sets apart those of people, for a backfill it is its id; and of a range, which
 * stands at its last time, it says the first. Absent otherwise.
 */
export interface OccurrenceKey {
  readonly schedule: ScheduleId;
  readonly scheduledTime: EpochMs;
  readonly revision: number;
  readonly kind: OccurrenceKind;
  readonly token?: string;
}

/**
 * An attempt that is under way or may begin: every move of an occurrence but the claim counts `dispatchSeq` up, so at
 * most one claim succeeds under each value, and what is beyond a value is so for ever.
 */
export interface Dispatched extends OccurrenceKey {
  readonly dispatchSeq: number;
  /** The places that it has in slots already, or that wait for it: slot → stripe. */
  readonly places?: Places;
  /** Those of them that are known to be its own by now, so that nothing has to be looked up. */
  readonly holds?: Places;
}

export type Places = Readonly<Record<string, number>>;

export function occurrenceId(key: OccurrenceKey): OccurrenceId {
  const { group, name } = splitScheduleId(key.schedule);
  const time = toIso(key.scheduledTime).replace(/[-:.]/g, '');
  const suffix = key.kind === 'scheduled' ? '' : `~${key.kind}-${key.token ?? ''}`;
  return `${group}~${name}~${time}~${key.revision}${suffix}` as OccurrenceId;
}

const ID_PATTERN =
  /^([A-Za-z0-9._-]{1,64})~([A-Za-z0-9._-]{1,64})~(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z~(\d{1,10})(?:~(manual|backfill|range)-([A-Za-z0-9]{1,64}))?$/;

/** The inverse of `occurrenceId`; `undefined` for text that no occurrence can have. */
export function parseOccurrenceId(text: string): OccurrenceKey | undefined {
  const match = ID_PATTERN.exec(text);
  if (!match) return undefined;
  const [, group, name, year, month, day, hour, minute, second, millis, revision, kind, token] = match;
  const at = parseInstant(`${year}-${month}-${day}T${hour}:${minute}:${second}.${millis}Z`);
  if (at === undefined || group === undefined || name === undefined) return undefined;
  const base = { schedule: scheduleId(group, name), scheduledTime: at, revision: Number(revision) };
  return kind === undefined || token === undefined
    ? { ...base, kind: 'scheduled' }
    : { ...base, kind: kind as 'manual' | 'backfill' | 'range', token };
}

/**
 * The key that every attempt of an occurrence carries, replays included. A hash, because targets bound its
 * length and alphabet: an SQS FIFO deduplication id takes 128 characters, a Step Functions name 80.
 */
export function idempotencyKey(id: OccurrenceId): string {
  return createHash('sha256').update(id).digest('hex').slice(0, 40);
}

/** A token for a manual occurrence from whatever makes the request unique (an Idempotency-Key or request id). */
export function manualToken(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** The id of a backfill: letters and digits, later ones after earlier ones; `text` makes the request unique. */
export function backfillToken(at: EpochMs, text: string): string {
  return `${at.toString(36).padStart(9, '0')}${manualToken(text).slice(0, 10)}`;
}

/**
 * Who shares one place in the fair work queue: a group, so that its backlog does not hold up another's; and apart
 * from it the group's backfills, which must not hold up what is on time.
 */
export function fairGroup({ schedule, kind }: Pick<OccurrenceKey, 'schedule' | 'kind'>): string {
  const { group } = splitScheduleId(schedule);
  return kind === 'backfill' ? `${group}~backfill` : group;
}

/** The slice of the schedules that this one belongs to. */
export function shardOf(id: ScheduleId, shardCount: number): number {
  return hash48(id) % shardCount;
}
