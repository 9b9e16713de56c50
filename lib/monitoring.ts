import { Alarm, AlarmRule, AlarmState, CompositeAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { AlarmTopic } from './alarm-topic.ts';
import { alarms } from './alarms/index.ts';
import { type AlarmSpec, emittedBy, type Watched } from './alarms/spec.ts';
import type { Config } from './config.ts';
import { PunctualDashboard } from './dashboard.ts';

const RUNBOOK = 'docs/runbook.md';

export interface MonitoringProps {
  readonly config: Config;
  /** What the settings do not say. */
  readonly watched: Omit<Watched, 'own' | 'config'>;
}

/** Alarms, the topic that they go to, and the dashboard. Who is told what: docs/adr/0034-one-alarm-pages-and-some-alarms-tell.md. */
export class Monitoring extends Construct {
  readonly topic: Topic;

  constructor(scope: Construct, id: string, { config, watched }: MonitoringProps) {
    super(scope, id);
    this.topic = new AlarmTopic(this, 'Alarms', config).topic;
    const everything = { ...watched, config, own: emittedBy(config.name) };
    const made = alarms(everything).map((spec) => ({ spec, alarm: this.alarm(config.name, spec) }));
    for (const { spec, alarm } of made) if (spec.about === 'work') this.tell(alarm);

    const engine = made.filter(({ spec }) => spec.about === 'engine').map(({ alarm }) => alarm);
    const unhealthy = new CompositeAlarm(this, 'unhealthy', {
      compositeAlarmName: `${config.name}-unhealthy`,
      alarmDescription: `Punctual is unhealthy. The alarm that says so is named in the reason. See ${RUNBOOK}#unhealthy`,
      alarmRule: AlarmRule.anyOf(...engine.map((alarm) => AlarmRule.fromAlarm(alarm, AlarmState.ALARM))),
    });
    this.tell(unhealthy);
    new PunctualDashboard(this, 'Dashboard', everything, [unhealthy, ...made.map(({ alarm }) => alarm)]);
  }

  private alarm(name: string, spec: AlarmSpec): Alarm {
    return new Alarm(this, spec.id, {
      // Named, unlike every other resource: people and pagers know an alarm by its name.
      alarmName: `${name}-${spec.id}`,
      alarmDescription: `${spec.description} See ${RUNBOOK}#${spec.id}`,
      metric: spec.metric,
      comparisonOperator: spec.comparison,
      threshold: spec.threshold,
      datapointsToAlarm: spec.datapoints.bad,
      evaluationPeriods: spec.datapoints.of,
      treatMissingData: spec.missing,
    });
  }

  private tell(alarm: Alarm | CompositeAlarm): void {
    const action = new SnsAction(this.topic);
    alarm.addAlarmAction(action);
    // So that whoever was woken hears that it is over.
    alarm.addOkAction(action);
  }
}
