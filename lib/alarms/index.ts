import { functionsFailing } from './functions.ts';
import { handingOver } from './handing-over.ts';
import { lateness } from './lateness.ts';
import { outcomes } from './outcomes.ts';
import { planning } from './planning.ts';
import type { AlarmSpec, Watched } from './spec.ts';

/** All alarms. What to do when one fires stands in docs/runbook.md under its id. */
export function alarms(watched: Watched): AlarmSpec[] {
  return [lateness, planning, handingOver, outcomes, functionsFailing].flatMap((list) => list(watched));
}
