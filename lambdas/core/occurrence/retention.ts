import { DAY, type EpochMs, SECOND } from '../time.ts';
import { isMoved } from './notes.ts';
import type { ChangeReason, Occurrence } from './occurrence.ts';

/**
 * Epoch seconds, as TTL wants them. Made here and nowhere else, so that every record that is ever purged was asked about
 * its own time.
 */
export type PurgeTime = number & { readonly __brand: 'PurgeTime' };

/** The longest `catchUp.maxAge`, in days: an older nominal time is not planned any more, whatever was away. */
export const MAX_CATCH_UP_DAYS = 366;

/** So long after the last of these times; a record of what is still to come is not gone before it comes. */
export function purgeTime(times: readonly EpochMs[], days: number): PurgeTime {
  return Math.ceil((Math.max(...times) + days * DAY) / SECOND) as PurgeTime;
}

type Finished = Pick<Occurrence, 'scheduledTime' | 'dueAt' | 'notes' | 'isAhead' | 'retentionDays'>;

/** How one ended, as far as its purge is concerned. */
export interface End {
  readonly at: EpochMs;
  readonly reason?: string;
}

/** Ended by a change of its schedule, nobody asks for it any more, or it is to be made again. */
const CHANGES: readonly string[] = ['superseded', 'paused', 'deleted'] satisfies ChangeReason[];

/**
 * When a finished occurrence is purged. A planner that comes to its nominal time without finding it creates it, so one
 * that ended before that time, or that a person put there, is kept for as long as any planner may come.
 */
export function purgeTimeOf(record: Finished, end: End, defaultDays: number): PurgeTime {
  const { scheduledTime, dueAt, isAhead = false, retentionDays: days = defaultDays } = record;
  const isEarly = isAhead || isMoved(record) || end.at < scheduledTime;
  const isAsked = end.reason === undefined || !CHANGES.includes(end.reason);
  const extra = isEarly && isAsked ? MAX_CATCH_UP_DAYS : 0;
  return purgeTime([end.at, scheduledTime, dueAt], days + extra);
}
