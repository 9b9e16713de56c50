import { type OccurrenceKey, RESERVED_GROUP, scheduleId } from '../ids.ts';
import type { Definition } from './definition.ts';

/**
 * A schedule that the deployment runs for itself, each minute: an occurrence of it that succeeds has been through
 * tick, stream, relay, queue and worker. Its name is one that nobody can give or ask for.
 */
export const CANARY = scheduleId(RESERVED_GROUP, 'canary');

export const CANARY_DEFINITION: Definition = {
  expression: '* * * * *',
  timezone: 'UTC',
  target: { kind: 'canary' },
  input: null,
  retry: {
    maxAttempts: 3,
    initialDelay: 'PT5S',
    factor: 2,
    maxDelay: 'PT1M',
    jitter: 0,
    maxAge: 'PT10M',
  },
  timeout: 'PT10S',
  // What an outage has missed proves nothing when it is over.
  catchUp: { mode: 'skip', maxAge: 'PT1M', maxRuns: 1, spreadOver: 'PT0S' },
  // No slot, so that it costs the least.
  overlap: 'allow',
  retention: 'P1D',
  tags: {},
};

export function isCanary({ schedule }: Pick<OccurrenceKey, 'schedule'>): boolean {
  return schedule === CANARY;
}
