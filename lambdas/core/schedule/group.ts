import { PunctualError } from '../errors.ts';
import { type EpochMs, MINUTE, SECOND } from '../time.ts';

/** Quotas of a group: what its schedules may come to together. Absent: no limit. */
export interface GroupQuotas {
  readonly maxSchedules?: number;
  /** Fires in a minute: those that its schedules declare and those that people start. */
  readonly maxFiresPerMinute?: number;
  readonly maxInputBytes?: number;
}

/** What one schedule takes of them. Kept on its head as it was counted, so that just this is given back. */
export interface Share {
  /** In the busiest minute that its recurrence has (declared-rate.ts). */
  readonly fires: number;
  /** Of its input as JSON. */
  readonly bytes: number;
}

/** A share that is in the count of this `epoch`: the time at which the group began to be counted. */
export interface Counted extends Share {
  readonly epoch: EpochMs;
}

/** What is counted of a group while it has a quota. */
export interface GroupCount {
  readonly epoch: EpochMs;
  /** +1 on each write of the settings. */
  readonly version: number;
  readonly schedules: number;
  readonly fires: number;
  readonly bytes: number;
  /** What people started in one minute of the clock, counted from 1970. */
  readonly started: { readonly minute: number; readonly fires: number };
}

/** How a change of one schedule moves the count; of a dimension that grows, the quota is checked. */
export interface GroupCharge extends Share {
  readonly schedules: number;
  readonly grows: { readonly schedules: boolean; readonly fires: boolean; readonly bytes: boolean };
}

const NOTHING: Share = { fires: 0, bytes: 0 };

/**
 * `before`: what the schedule takes now, whether or not it is counted; undefined when there is none. `after`: what it
 * will; undefined once it is deleted. One that is not counted yet is counted whole, without that being growth.
 */
export function chargeOf(
  before: (Share & { readonly isCounted: boolean }) | undefined,
  after: Share | undefined,
): GroupCharge {
  const counted = before?.isCounted ? before : NOTHING;
  const was = before ?? NOTHING;
  const will = after ?? NOTHING;
  return {
    schedules: (after ? 1 : 0) - (before?.isCounted ? 1 : 0),
    fires: will.fires - counted.fires,
    bytes: will.bytes - counted.bytes,
    grows: {
      schedules: after !== undefined && before === undefined,
      fires: will.fires > was.fires,
      bytes: will.bytes > was.bytes,
    },
  };
}

/** Seconds. Waiting frees nothing of a standing quota: an hour says that somebody has to act first. */
const STANDING_RETRY = 3_600;

export interface ReachedLimit {
  readonly group: string;
  readonly name: keyof GroupQuotas;
  readonly limit: number;
  /** In use now. */
  readonly used: number;
  /** What was asked for on top. */
  readonly wanted: number;
}

/** A quota that leaves no room for what is asked. */
export class LimitReached extends PunctualError {
  readonly reached: ReachedLimit;
  /** Seconds until the same request may go through. */
  readonly retryAfter: number;

  constructor(reached: ReachedLimit, wayOut: string, retryAfter: number) {
    const { group, name, limit, used, wanted } = reached;
    const message =
      `Group ${group} has ${name} ${limit}, of which ${used} are in use; this asks for ${wanted} more. ` +
      `${wayOut}, or raise ${name} with PUT /groups/${group}.`;
    super('group.limit', message, { field: name, value: limit });
    this.reached = reached;
    this.retryAfter = retryAfter;
  }
}

/** Refuses growth that the count leaves no room for. */
export function assertRoom(
  group: string,
  quotas: GroupQuotas,
  count: GroupCount,
  charge: GroupCharge,
  now: EpochMs,
): void {
  const check = (
    name: keyof GroupQuotas,
    used: number,
    wanted: number,
    grows: boolean,
    wayOut: string,
  ): void => {
    const limit = quotas[name];
    if (limit === undefined || !grows || used + wanted <= limit) return;
    throw new LimitReached({ group, name, limit, used, wanted }, wayOut, STANDING_RETRY);
  };
  check('maxSchedules', count.schedules, charge.schedules, charge.grows.schedules, 'Delete a schedule');
  check('maxFiresPerMinute', count.fires, charge.fires, charge.grows.fires, 'Let schedules fire less often');
  // The minute that is under way may be taken up by what people have started: the next one is not.
  if (charge.grows.fires && quotas.maxFiresPerMinute !== undefined)
    assertMinute(group, quotas.maxFiresPerMinute, count, charge.fires, now);
  check('maxInputBytes', count.bytes, charge.bytes, charge.grows.bytes, 'Make inputs smaller');
}

export const minuteOf = (at: EpochMs): number => Math.floor(at / MINUTE);

/** What people have started in the minute of `now`. */
export function startedIn({ started }: Pick<GroupCount, 'started'>, now: EpochMs): number {
  return started.minute >= minuteOf(now) ? started.fires : 0;
}

/** Refuses what people start when, with what the schedules declare, it is more than a minute may have. */
export function assertStart(
  group: string,
  limit: number,
  count: GroupCount,
  wanted: number,
  now: EpochMs,
): void {
  if (count.fires + wanted > limit) {
    // No minute has room for it.
    const used = count.fires + startedIn(count, now);
    const reached = { group, name: 'maxFiresPerMinute', limit, used, wanted } as const;
    throw new LimitReached(reached, 'Start fewer at once', STANDING_RETRY);
  }
  assertMinute(group, limit, count, wanted, now);
}

/** Refuses what this minute has no room for, and the next one may have. */
function assertMinute(group: string, limit: number, count: GroupCount, wanted: number, now: EpochMs): void {
  const used = count.fires + startedIn(count, now);
  if (used + wanted <= limit) return;
  const reached = { group, name: 'maxFiresPerMinute', limit, used, wanted } as const;
  const left = Math.ceil((MINUTE - (now % MINUTE)) / SECOND);
  throw new LimitReached(reached, `Wait ${left} s for the next minute`, left);
}

/** What holds for all schedules of a group. */
export interface GroupSettings extends GroupQuotas {
  /** How many of its occurrences may run at once. */
  readonly concurrencyLimit?: number;
}

/** The settings, and a number that is larger with each time that the concurrency limit is said. */
export interface GroupTerms extends GroupSettings {
  readonly limitSince?: EpochMs;
}

/** What a group may have, and while it has a quota what it has. */
export interface GroupState {
  readonly settings: GroupTerms;
  readonly count: GroupCount | undefined;
}
