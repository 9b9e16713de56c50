import type { OccurrenceView } from '../../contract/api/occurrence.ts';
import { idempotencyKey, occurrenceId, splitScheduleId } from '../../core/ids.ts';
import type { Occurrence } from '../../core/occurrence.ts';
import { toIso } from '../../core/time.ts';

export function occurrenceViewOf(occurrence: Occurrence): OccurrenceView {
  const id = occurrenceId(occurrence);
  const { startedAt } = occurrence;
  return {
    id,
    schedule: splitScheduleId(occurrence.schedule),
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
    ...(occurrence.status === 'coalesced' && {
      coalesced: {
        count: occurrence.coalesced.count,
        from: toIso(occurrence.coalesced.from),
        to: toIso(occurrence.coalesced.to),
      },
    }),
  };
}
