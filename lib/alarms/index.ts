import { canary } from './canary.ts';
import { functionsFailing } from './functions.ts';
import { queueing, relaying } from './handing-over.ts';
import { answering } from './http.ts';
import { lateness } from './lateness.ts';
import { outcomes } from './outcomes.ts';
import { planning } from './planning.ts';
import { running } from './running.ts';
import type { AlarmSpec, Watched } from './spec.ts';
import { tablesThrottling } from './tables.ts';

const LISTS = [
  lateness,
  planning,
  canary,
  relaying,
  queueing,
  running,
  outcomes,
  functionsFailing,
  tablesThrottling,
  answering,
];

/** All alarms. What to do when one fires stands in docs/runbook.md under its id. */
export function alarms(watched: Watched): AlarmSpec[] {
  return LISTS.flatMap((list) => list(watched));
}
