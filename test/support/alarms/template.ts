import { resourcesOf, templateOf, textOf } from '../../infra/support/synth.ts';

/** A metric as an alarm of the template names it. */
export interface AlarmMetric {
  readonly namespace: string;
  readonly name: string;
  /** Values as text: `<StoreSchedules>` for a reference. */
  readonly dimensions: Readonly<Record<string, string>>;
  readonly statistic: string;
}

/** An alarm as CloudWatch would get it. */
export interface TemplateAlarm {
  readonly id: string;
  readonly description: string;
  /** Added up. */
  readonly metrics: readonly AlarmMetric[];
  /** Whether a period without a value counts as 0, by the alarm's own expression. */
  readonly filled: boolean;
  readonly periodMinutes: number;
  readonly comparison: string;
  readonly threshold: number;
  readonly datapoints: { readonly bad: number; readonly of: number };
  readonly missing: string;
  /** Topics that hear of its beginning, and of its end. */
  readonly tells: { readonly alarm: readonly string[]; readonly ok: readonly string[] };
}

interface Stat {
  readonly Metric: {
    readonly Namespace: string;
    readonly MetricName: string;
    readonly Dimensions?: readonly { readonly Name: string; readonly Value: unknown }[];
  };
  readonly Period: number;
  readonly Stat: string;
}

interface Properties {
  readonly AlarmName: string;
  readonly AlarmDescription: string;
  readonly Metrics?: readonly { readonly Expression?: string; readonly MetricStat?: Stat }[];
  readonly Namespace: string;
  readonly MetricName: string;
  readonly Dimensions?: Stat['Metric']['Dimensions'];
  readonly Period: number;
  readonly Statistic: string;
  readonly ComparisonOperator: string;
  readonly Threshold: number;
  readonly DatapointsToAlarm: number;
  readonly EvaluationPeriods: number;
  readonly TreatMissingData: string;
  readonly AlarmActions?: unknown[];
  readonly OKActions?: unknown[];
}

/** Every alarm of the stack except the composite one, by the end of its name. */
export function alarmsOf(settings: Readonly<Record<string, unknown>> = {}): Map<string, TemplateAlarm> {
  const stack = typeof settings.stackName === 'string' ? settings.stackName : 'Punctual';
  const alarms = Object.values(resourcesOf(templateOf(settings), 'AWS::CloudWatch::Alarm')).map(
    ({ Properties }) => read(Properties as unknown as Properties, `${stack}-`),
  );
  return new Map(alarms.map((alarm) => [alarm.id, alarm]));
}

function read(alarm: Properties, prefix: string): TemplateAlarm {
  if (!alarm.AlarmName.startsWith(prefix)) throw new Error(`${alarm.AlarmName} is not called ${prefix}…`);
  const stats = alarm.Metrics?.flatMap(({ MetricStat }) => MetricStat ?? []) ?? [
    { Metric: alarm, Period: alarm.Period, Stat: alarm.Statistic },
  ];
  const [period = 0, ...others] = new Set(stats.map(({ Period }) => Period));
  if (others.length > 0) throw new Error(`${alarm.AlarmName} mixes periods.`);
  const expression = alarm.Metrics?.find((one) => one.Expression)?.Expression;
  if (expression !== undefined && !/^FILL\(\w+, 0\)( \+ FILL\(\w+, 0\))*$/.test(expression)) {
    throw new Error(`${alarm.AlarmName} computes ${expression}, which is not understood here.`);
  }
  return {
    id: alarm.AlarmName.slice(prefix.length),
    description: alarm.AlarmDescription,
    metrics: stats.map(({ Metric: { Namespace, MetricName, Dimensions = [] }, Stat }) => ({
      namespace: Namespace,
      name: MetricName,
      dimensions: Object.fromEntries(Dimensions.map(({ Name, Value }) => [Name, textOf(Value)])),
      statistic: Stat,
    })),
    filled: expression !== undefined,
    periodMinutes: period / 60,
    comparison: alarm.ComparisonOperator,
    threshold: alarm.Threshold,
    datapoints: { bad: alarm.DatapointsToAlarm, of: alarm.EvaluationPeriods },
    missing: alarm.TreatMissingData,
    tells: {
      alarm: (alarm.AlarmActions ?? []).map(textOf),
      ok: (alarm.OKActions ?? []).map(textOf),
    },
  };
}
