import { type Compiled, compileCached } from './recurrence/index.ts';
import type { ScheduleHead } from './schedule.ts';

/** The compiled recurrence of a schedule, seeded by its id and anchored at its creation. */
export function headRecurrence(head: Pick<ScheduleHead, 'id' | 'policy' | 'anchor'>): Compiled {
  const { expression, timezone, dst } = head.policy;
  return compileCached({ expression, timezone, ...(dst && { dst }) }, { seed: head.id, anchor: head.anchor });
}
