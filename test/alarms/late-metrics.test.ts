import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { created, openApi, type TestApi } from '../functions/api/api.ts';
import { deployment } from '../support/alarms/deployment.ts';
import { type Minute, stateAfter } from '../support/alarms/evaluate.ts';
import { alarmsOf, type TemplateAlarm } from '../support/alarms/template.ts';

const ALARMS = [...alarmsOf().values()];

/** Minutes by which metrics come late: CloudWatch gives no promise, and one or two are ordinary. */
const LATE = [0, 1, 2];
/** Longer than any alarm takes to be on, and than any keeps to the past. */
const LONG = 90;

const BREACH: Readonly<Record<string, (threshold: number) => number | undefined>> = {
  GreaterThanThreshold: (threshold) => threshold + 1,
  GreaterThanOrEqualToThreshold: (threshold) => threshold,
  // Nothing is counted: the metric is not there at all.
  LessThanThreshold: () => undefined,
};

function minuteWith({ metrics }: TemplateAlarm, value: number | undefined): Minute {
  const [metric] = metrics;
  return metric === undefined || value === undefined ? {} : { [metric.name]: [value] };
}

const bad = (alarm: TemplateAlarm) => minuteWith(alarm, BREACH[alarm.comparison]?.(alarm.threshold));
const good = (alarm: TemplateAlarm) => minuteWith(alarm, alarm.comparison === 'LessThanThreshold' ? 1 : 0);
const times = (count: number, minute: Minute): Minute[] => Array.from({ length: count }, () => minute);

/** The state at the end of each minute. */
const statesOf = (alarm: TemplateAlarm, minutes: readonly Minute[], late: number) =>
  minutes.map((_, nth) => stateAfter(alarm, minutes.slice(0, nth + 1), late));

describe.each(LATE)('metrics that come %i minutes late', (late) => {
  it.each(ALARMS)('do not silence $id while its fault lasts, nor keep it on afterwards', (alarm) => {
    const minutes = [...times(LONG, good(alarm)), ...times(LONG, bad(alarm)), ...times(LONG, good(alarm))];
    const states = statesOf(alarm, minutes, late);
    // Well before, by any history.
    expect(new Set(states.slice(20, LONG))).toEqual(new Set(['OK']));
    const { of } = alarm.datapoints;
    const on = states.indexOf('ALARM', LONG);
    expect(on - LONG).toBeLessThan((of + 2) * alarm.periodMinutes + late);
    expect(new Set(states.slice(on, 2 * LONG))).toEqual(new Set(['ALARM']));
    expect(states.at(-1)).toBe('OK');
  });

  it.each(ALARMS.filter(({ datapoints }) => datapoints.bad === 1))(
    'do not hide the only event of $id',
    (alarm) => {
      const minutes = [...times(LONG, good(alarm)), bad(alarm), ...times(LONG, good(alarm))];
      expect(statesOf(alarm, minutes, late)).toContain('ALARM');
    },
  );
});

it('every alarm that is not about silence leaves two periods to metrics that are late', () => {
  const counted = ALARMS.filter(({ comparison, filled }) => filled && comparison !== 'LessThanThreshold');
  expect(counted.length).toBeGreaterThan(10);
  for (const { id, datapoints } of counted)
    expect(datapoints.of - datapoints.bad, id).toBeGreaterThanOrEqual(2);
});

describe('a deployment where all is well', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await openApi();
  });
  afterAll(() => api.close());

  it('raises no alarm when metrics come late', async () => {
    await created(api, { expression: '* * * * *', overlap: 'allow', expectSuccessWithin: 'PT3M' });
    const minutes = await deployment(api).minutes(0, 12);
    for (const late of LATE)
      expect(
        ALARMS.filter((alarm) => stateAfter(alarm, minutes, late) === 'ALARM').map(({ id }) => id),
      ).toEqual([]);
  });
});

describe('a gap of values', () => {
  const oldest = ALARMS.find(({ id }) => id === 'oldest-overdue');
  const sparse = (text: string) =>
    [...text].map((mark): Minute => (mark === '-' ? {} : { OldestOverdueSeconds: [mark === 'X' ? 100 : 0] }));

  // As AWS's table has it, for an alarm of three periods that takes missing values for breaching.
  it.each([
    ['0-X-X', 'OK'],
    ['----0', 'OK'],
    ['-----', 'ALARM'],
    ['0XX-X', 'ALARM'],
    ['--XX-', 'ALARM'],
  ])('%s is %s', (text, state) => {
    if (!oldest) throw new Error('There is no such alarm.');
    expect(stateAfter(oldest, sparse(text))).toBe(state);
  });

  it('is heard as silence once there is no value among the last five', () => {
    if (!oldest) throw new Error('There is no such alarm.');
    const states = [...'-----'].map((_, nth) => stateAfter(oldest, sparse(`00000${'-'.repeat(nth + 1)}`)));
    expect(states).toEqual(['OK', 'OK', 'OK', 'OK', 'ALARM']);
  });
});
