import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createSchedulerEvents } from '../../../lambdas/adapters/scheduler-events.ts';
import { METRIC } from '../../../lambdas/contract/metrics.ts';
import { scheduleId } from '../../../lambdas/core/ids.ts';
import { CANARY } from '../../../lambdas/core/schedule/canary-definition.ts';
import { epochMs } from '../../../lambdas/core/time.ts';

const LAMBDAS = new URL('../../../lambdas/', import.meta.url).pathname;

/** What the events count, and what they report of a schedule. */
function recorder() {
  const counted: [string, number][] = [];
  const reported: unknown[] = [];
  const events = createSchedulerEvents(
    (name, value) => counted.push([name, value]),
    (...report) => reported.push(report),
  );
  return { counted, reported, events };
}

const running = {
  schedule: scheduleId('g', 'n'),
  kind: 'scheduled',
  attempt: 1,
  dueAt: epochMs(0),
  attemptStartedAt: epochMs(5),
} as const;

describe('the events of the scheduler', () => {
  it.each([
    ['succeeded', [METRIC.attemptsSucceeded]],
    ['retry', [METRIC.attemptsFailed]],
    ['failed', [METRIC.attemptsFailed, METRIC.occurrencesFailed]],
  ] as const)('count an attempt that ended %s once', (outcome, expected) => {
    const { counted, reported, events } = recorder();
    events.attemptEnded(running, undefined, outcome, epochMs(9));
    expect(counted).toEqual(expected.map((name) => [name, 1]));
    expect(reported).toEqual([]);
  });

  it('leave the canary out of the metrics of work', () => {
    const { counted, events } = recorder();
    const canary = { ...running, schedule: CANARY };
    for (const outcome of ['succeeded', 'retry', 'failed'] as const)
      events.attemptEnded(canary, undefined, outcome, epochMs(9));
    events.notRun(CANARY, undefined, 'missed');
    expect(counted).toEqual([[METRIC.canarySucceeded, 1]]);
  });

  it.each(Object.keys(METRIC))('and %s is emitted by one file only', (name) => {
    const emitters = globSync('**/*.ts', { cwd: LAMBDAS })
      .filter((file) => file !== 'contract/metrics.ts' && file !== 'adapters/telemetry.ts')
      .filter((file) => readFileSync(`${LAMBDAS}${file}`, 'utf8').includes(`METRIC.${name}`));
    // A schedule's own start delay is reported beside the deployment's, by whoever sees the attempt end.
    const expected = name === 'startDelayMs' ? 2 : 1;
    expect(emitters).toHaveLength(expected);
  });
});
