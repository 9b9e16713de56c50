import { idempotencyKey, occurrenceId } from '../../core/ids.ts';
import type { Occurrence } from '../../core/occurrence/occurrence.ts';
import { toIso } from '../../core/time.ts';
import type { OccurrenceView } from './occurrence-schema.ts';

export function occurrenceViewOf(occurrence: Occurrence): OccurrenceView {
  const id = occurrenceId(occurrence);
  const { startedAt } = occurrence;
  return {
    id,
    schedule: occurrence.schedule,
    revision: occurrence.revision,
    kind: occurrence.kind,
    scheduledTime: toIso(occurrence.scheduledTime),
    dueAt: toIso(occurrence.dueAt),
    startedAt: startedAt === undefined ? null : toIso(startedAt),
    finishedAt: 'finishedAt' in occurrence ? toIso(occurrence.finishedAt) : null,
    status: occurrence.status,
    reason: 'reason' in occurrence ? occurrence.reason : null,
    attempt: occurrence.attempt,
    idempotencyKey: idempotencyKey(id),
    attempts: occurrence.attempts.map((record) => ({
      ...record,
      startedAt: toIso(record.startedAt),
      finishedAt: toIso(record.finishedAt),
    })),
    notes: [...occurrence.notes],
    ...ownOf(occurrence),
    ...(occurrence.status === 'coalesced' && {
      coalesced: {
        count: occurrence.coalesced.count,
        from: toIso(occurrence.coalesced.from),
        to: toIso(occurrence.coalesced.to),
      },
    }),
  };
}

/** What sets it apart from others of its schedule; most have none of it. The token's secret is never among it. */
function ownOf(occurrence: Occurrence): Partial<OccurrenceView> {
  const { replays, inputRevision, overlap } = occurrence;
  return {
    ...(occurrence.status === 'running' && { leaseExpiresAt: toIso(occurrence.lease.expiresAt) }),
    ...('cancelReason' in occurrence && { cancelRequested: true }),
    ...('blockedBy' in occurrence && { blockedBy: occurrence.blockedBy }),
    ...(replays > 0 && { replays }),
    ...(inputRevision !== undefined && { inputRevision }),
    ...(overlap !== undefined && { overlap }),
  };
}

/** With the input that was given for it alone, which may be too large for a list. */
export function wholeOccurrenceView(occurrence: Occurrence): OccurrenceView {
  const { inputOverride } = occurrence;
  return {
    ...occurrenceViewOf(occurrence),
    ...(inputOverride !== undefined && { input: JSON.parse(inputOverride) }),
  };
}
