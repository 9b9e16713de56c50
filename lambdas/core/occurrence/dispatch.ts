import type { OccurrenceId, Places } from '../ids.ts';
import type { EpochMs } from '../time.ts';

export interface Dispatch {
  readonly id: OccurrenceId;
  readonly seq: number;
  readonly dueAt: EpochMs;
  /** Places in slots that it has or was promised, so that it need not look for them: slot → stripe. */
  readonly places?: Places;
  /** Fair-queue group: one group's backlog does not hold up another's. */
  readonly group: string;
}
