export interface SweepResult {
  /** Due and not ended, when the sweep came by. */
  readonly open: number;
  readonly overdue: number;
  readonly oldestOverdueSeconds: number;
  /** Of those that outside workers are to claim; they are not in the two above. */
  readonly oldestUnclaimedSeconds: number;
  /** Of workers of ours. */
  readonly leasesExpired: number;
  /** Attempts that went on outside and fell silent. */
  readonly outsideExpired: number;
  readonly failed: number;
  /** Schedules that were paused because of that. */
  readonly paused: number;
  readonly redispatched: number;
  readonly missed: number;
  /** Places in slots that were handed to those that waited. */
  readonly slotsHandedOut: number;
  /** Parts of the index that were not looked at to their end: then there are more than the counts above say. */
  readonly unfinished: number;
  readonly failures: readonly { readonly id: string; readonly error: unknown }[];
}

export const EMPTY: SweepResult = {
  open: 0,
  overdue: 0,
  oldestOverdueSeconds: 0,
  oldestUnclaimedSeconds: 0,
  leasesExpired: 0,
  outsideExpired: 0,
  failed: 0,
  paused: 0,
  redispatched: 0,
  missed: 0,
  slotsHandedOut: 0,
  unfinished: 0,
  failures: [],
};

export function merge(a: SweepResult, b: SweepResult): SweepResult {
  return {
    open: a.open + b.open,
    overdue: a.overdue + b.overdue,
    oldestOverdueSeconds: Math.max(a.oldestOverdueSeconds, b.oldestOverdueSeconds),
    oldestUnclaimedSeconds: Math.max(a.oldestUnclaimedSeconds, b.oldestUnclaimedSeconds),
    leasesExpired: a.leasesExpired + b.leasesExpired,
    outsideExpired: a.outsideExpired + b.outsideExpired,
    failed: a.failed + b.failed,
    paused: a.paused + b.paused,
    redispatched: a.redispatched + b.redispatched,
    missed: a.missed + b.missed,
    slotsHandedOut: a.slotsHandedOut + b.slotsHandedOut,
    unfinished: a.unfinished + b.unfinished,
    failures: b.failures.length === 0 ? a.failures : [...a.failures, ...b.failures],
  };
}
