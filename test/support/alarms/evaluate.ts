import type { AlarmMetric, TemplateAlarm } from './template.ts';

/** What was measured in one minute: the values of each metric, by its name. */
export type Minute = Readonly<Record<string, readonly number[]>>;

/** Periods that CloudWatch looks at beyond those of the alarm: AWS's examples show five for an alarm of three. */
const FURTHER_BACK = 2;

/**
 * The state of an alarm after these minutes, one after the other, the last of them being the latest (AWS: Configuring
 * how CloudWatch alarms treat missing data). It looks at more periods than its own and takes the latest that have a
 * value; only for as many as are lacking then it counts what is missing as the alarm says. `ignore` keeps the state
 * that it had, which is looked for further back. What was measured in the last `late` minutes is not there yet: to
 * CloudWatch it is missing, and to an expression that fills it is 0.
 */
export function stateAfter(alarm: TemplateAlarm, minutes: readonly Minute[], late = 0): 'ALARM' | 'OK' {
  const { bad, of } = alarm.datapoints;
  const known = minutes.map((minute, nth) => (nth < minutes.length - late ? minute : {}));
  const values = periodsOf(alarm, known);
  const found = values
    .slice(-(of + FURTHER_BACK))
    .filter((value) => value !== undefined)
    .slice(-of);
  if (alarm.missing === 'ignore' && found.length === 0 && values.length > 0) {
    return stateAfter(alarm, known.slice(0, -alarm.periodMinutes));
  }
  // Periods before the first one are missing, too.
  const missing = alarm.missing === 'breaching' ? of - found.length : 0;
  return missing + found.filter((value) => breaches(alarm, value)).length >= bad ? 'ALARM' : 'OK';
}

function breaches({ comparison, threshold }: TemplateAlarm, value: number): boolean {
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
