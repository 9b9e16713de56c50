import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { METRIC_NAMESPACE } from '../../lambdas/contract/metrics.ts';
import type { CallResult } from '../../lambdas/core/ports/target-caller.ts';
import { created, openApi, type TestApi } from '../functions/api/api.ts';
import { deployment, type Faults } from '../support/alarms/deployment.ts';
import { type Minute, stateAfter } from '../support/alarms/evaluate.ts';
import { alarmsOf } from '../support/alarms/template.ts';

/** As deployed, but that a crowd is three. */
const ALARMS = alarmsOf({ overdueAlarmCount: 2 });
const OWN = [...ALARMS.values()].filter(({ metrics }) =>
  metrics.every(({ namespace }) => namespace === METRIC_NAMESPACE),
);

let api: TestApi;
beforeEach(async () => {
  api = await openApi();
});
afterEach(() => api.close());

function stateOf(id: string, minutes: readonly Minute[]): 'ALARM' | 'OK' {
  const alarm = ALARMS.get(id);
  if (!alarm) throw new Error(`There is no alarm ${id}.`);
  return stateAfter(alarm, minutes);
}

const bad: CallResult = { kind: 'failed', retryable: false, detail: 'HTTP 400' };
const PULL = { target: { kind: 'pull', queue: 'theirs' } };

interface Drill {
  readonly id: string;
  readonly fault: Faults;
  /** Minutes of it until the alarm is on, and how many of them are not enough. */
  readonly within: number;
  readonly notYet: number;
  readonly schedule?: Readonly<Record<string, unknown>>;
  /** Other alarms that this fault sets off as well, within the same minutes. */
  readonly also?: readonly string[];
}

const DRILLS: readonly Drill[] = [
  { id: 'oldest-overdue', fault: { down: ['worker'] }, within: 5, notYet: 3, also: ['canary-silent'] },
  { id: 'oldest-overdue', fault: { down: ['sweep'] }, within: 5, notYet: 4 },
  {
    id: 'overdue-count',
    fault: { down: ['worker'] },
    within: 7,
    notYet: 5,
    also: ['oldest-overdue', 'canary-silent'],
  },
  { id: 'tick-silent', fault: { down: ['tick'] }, within: 3, notYet: 2 },
  { id: 'tick-silent', fault: { unplannable: true }, within: 11, notYet: 2, also: ['canary-silent'] },
  { id: 'shard-lag', fault: { down: ['tick'] }, within: 6, notYet: 4, also: ['tick-silent'] },
  { id: 'canary-silent', fault: { down: ['worker'] }, within: 5, notYet: 4, also: ['oldest-overdue'] },
  { id: 'leases-expired', fault: { workersDie: true }, within: 4, notYet: 2 },
  { id: 'occurrences-failed', fault: { answer: bad }, within: 1, notYet: 0 },
  {
    id: 'schedules-paused',
    fault: { answer: bad },
    schedule: { pauseAfterFailures: 3 },
    within: 3,
    notYet: 2,
    also: ['occurrences-failed'],
  },
  {
    id: 'schedules-without-success',
    fault: { answer: bad },
    schedule: { expectSuccessWithin: 'PT3M' },
    within: 4,
    notYet: 2,
    also: ['occurrences-failed'],
  },
  { id: 'messages-rejected', fault: { strays: ['no message'] }, within: 3, notYet: 2 },
  { id: 'pull-unclaimed', fault: {}, schedule: PULL, within: 9, notYet: 6 },
];

it('every alarm on a metric of ours is drilled', () => {
  expect([...new Set(DRILLS.map(({ id }) => id))].toSorted()).toEqual(OWN.map(({ id }) => id).toSorted());
});

describe('a deployment where all is well', () => {
  it('raises no alarm once it has run for a few minutes', async () => {
    await created(api, { expression: '* * * * *', overlap: 'allow', expectSuccessWithin: 'PT3M' });
    const minutes = await deployment(api).minutes(0, 10);
    expect(OWN.filter((alarm) => stateAfter(alarm, minutes) === 'ALARM')).toEqual([]);
  });
});

describe.each(DRILLS)('$id, by $fault', ({ id, fault, schedule, within, notYet, also = [] }) => {
  it('is on when its fault lasts, not before, and so are only those that the fault is seen by', async () => {
    const { minutes } = deployment(api);
    // A pull queue has nobody to claim from it from its first minute on.
    const isPull = schedule === PULL;
    const before = await minutes(0, 7);
    await created(api, {
      expression: '* * * * *',
      overlap: 'allow',
      catchUp: { mode: 'latest' },
      ...schedule,
    });
    const well = isPull ? before : [...before, ...(await minutes(7, 4))];
    expect(stateOf(id, well)).toBe('OK');

    const soon = [...well, ...(await minutes(well.length, notYet, fault))];
    expect(stateOf(id, soon)).toBe('OK');
    const later = [...soon, ...(await minutes(soon.length, within - notYet, fault))];
    expect(stateOf(id, later)).toBe('ALARM');
    const on = OWN.filter((alarm) => stateAfter(alarm, later) === 'ALARM').map((alarm) => alarm.id);
    expect(on).toEqual(expect.arrayContaining([id]));
    expect([id, ...also]).toEqual(expect.arrayContaining(on));
  });
});
