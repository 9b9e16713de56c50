import type { AlarmMetric, TemplateAlarm } from './template.ts';

/** What was measured in one minute: the values of each metric, by its name. */
export type Minute = Readonly<Record<string, readonly number[]>>;

/**
 * The state of an alarm after these minutes, one after the other, the last of them being the latest: so many of the
 * latest periods breach the threshold, where what is missing counts as the alarm says (AWS: Configuring how
 * CloudWatch alarms treat missing data). `ignore` keeps the state that it had, which is looked for further back.
 */
export function stateAfter(alarm: TemplateAlarm, minutes: readonly Minute[]): 'ALARM' | 'OK' {
  const { bad, of } = alarm.datapoints;
  const values = periodsOf(alarm, minutes);
  if (alarm.missing === 'ignore' && values.length > 0 && values.at(-1) === undefined) {
    return stateAfter(alarm, minutes.slice(0, -alarm.periodMinutes));
  }
  // Periods before the first one are missing, too.
  const latest = [...Array.from({ length: of }, () => undefined), ...values].slice(-of);
  return latest.filter((value) => breaches(alarm, value)).length >= bad ? 'ALARM' : 'OK';
}

function breaches({ comparison, threshold, missing }: TemplateAlarm, value: number | undefined): boolean {
  if (value === undefined) return missing === 'breaching';
  switch (comparison) {
    case 'GreaterThanThreshold':
      return value > threshold;
    case 'GreaterThanOrEqualToThreshold':
      return value >= threshold;
    case 'LessThanThreshold':
      return value < threshold;
    default:
      throw new Error(`${comparison} is not understood here.`);
  }
}

/** The value of each period; undefined for one in which nothing was measured. */
function periodsOf({ metrics, filled, periodMinutes }: TemplateAlarm, minutes: readonly Minute[]) {
  const count = Math.ceil(minutes.length / periodMinutes);
  return Array.from({ length: count }, (_, nth) => {
    // The latest period is whole.
    const end = minutes.length - (count - 1 - nth) * periodMinutes;
    const period = minutes.slice(Math.max(0, end - periodMinutes), end);
    const values = metrics.map((metric) => statistic(metric, period));
    if (filled) return values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
    return values[0];
  });
}

function statistic({ name, statistic: kind }: AlarmMetric, period: readonly Minute[]): number | undefined {
  const values = period.flatMap((minute) => minute[name] ?? []);
  if (values.length === 0) return undefined;
  switch (kind) {
    case 'Sum':
      return values.reduce((sum, value) => sum + value, 0);
    case 'Maximum':
      return Math.max(...values);
    default:
      throw new Error(`${kind} is not understood here.`);
  }
}
