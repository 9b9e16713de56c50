import { MOVED_NOTE } from '../../core/occurrence/notes.ts';
import type { PendingOccurrence } from '../../core/occurrence/occurrence.ts';
import type { PlannedOccurrence } from '../../core/planning/planner.ts';
import type { FireNote } from '../../core/recurrence/types.ts';
import { type EpochMs, epochMs, toIso } from '../../core/time.ts';

export function movedNote(to: EpochMs): FireNote {
  return { code: MOVED_NOTE, message: `A person moved its start to ${toIso(to)}.` };
}

/** Due at `to`, with the same time to its deadline; moved back to where it belongs, it is not moved. */
export function movedTo<Of extends PlannedOccurrence | PendingOccurrence>(of: Of, to: EpochMs, own: EpochMs) {
  const notes = of.notes.filter(({ code }) => code !== MOVED_NOTE);
  return {
    dueAt: to,
    ...(of.startBy !== undefined && { startBy: epochMs(to + (of.startBy - of.dueAt)) }),
    notes: to === own ? notes : [...notes, movedNote(to)],
  };
}
