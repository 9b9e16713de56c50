import { Stack } from 'aws-cdk-lib';
import { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { AlarmTopic } from './alarm-topic.ts';
import { alarms } from './alarms/index.ts';
import { emittedBy, type Watched } from './alarms/spec.ts';
import type { Config } from './config.ts';

const RUNBOOK = 'docs/runbook.md';

export interface MonitoringProps {
  readonly config: Config;
  /** What the settings do not say. */
  readonly watched: Omit<Watched, 'own' | 'overdueSeconds' | 'leadSeconds' | 'canary'>;
}

/** Alarms and the topic that they go to. */
export class Monitoring extends Construct {
  readonly topic: Topic;

  constructor(scope: Construct, id: string, { config, watched }: MonitoringProps) {
    super(scope, id);
    this.topic = new AlarmTopic(this, 'Alarms', config).topic;
    const action = new SnsAction(this.topic);
    const specs = alarms({
      ...watched,
      own: emittedBy(config.stackName),
      overdueSeconds: config.overdueAlarmSeconds,
      leadSeconds: config.leadSeconds,
      canary: config.canary,
    });
    for (const spec of specs) {
      const alarm = new Alarm(this, spec.id, {
        // Named, unlike every other resource: people and pagers know an alarm by its name.
        alarmName: `${Stack.of(this).stackName}-${spec.id}`,
        alarmDescription: `${spec.description} See ${RUNBOOK}#${spec.id}`,
        metric: spec.metric,
        comparisonOperator: spec.comparison,
        threshold: spec.threshold,
        datapointsToAlarm: spec.datapoints.bad,
        evaluationPeriods: spec.datapoints.of,
        treatMissingData: spec.missing,
      });
      alarm.addAlarmAction(action);
      // So that whoever was woken hears that it is over.
      alarm.addOkAction(action);
    }
  }
}
