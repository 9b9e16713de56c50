import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { METRIC, METRIC_NAMESPACE } from '../../lambdas/contract/metrics.ts';
import { propertiesOf, ROOT, resourcesOf, templateOf, textOf } from './support/synth.ts';

interface AlarmProperties {
  readonly AlarmName: string;
  readonly AlarmDescription: string;
  readonly Namespace: string;
  readonly MetricName: string;
  readonly Dimensions: { Name: string; Value: unknown }[];
  readonly Threshold: number;
  readonly TreatMissingData: string;
  readonly AlarmActions: unknown[];
}

function alarmsOf(settings: Readonly<Record<string, unknown>> = {}): AlarmProperties[] {
  return Object.values(resourcesOf(templateOf(settings), 'AWS::CloudWatch::Alarm')).map(
    ({ Properties }) => Properties as unknown as AlarmProperties,
  );
}

/** Anchors as GitHub and most renderers of Markdown make them. */
function runbookSections(): Map<string, string> {
  const [, ...sections] = readFileSync(`${ROOT}docs/runbook.md`, 'utf8').split(/^## /m);
  return new Map(
    sections.map((section) => {
      const [heading = '', ...body] = section.split('\n');
      return [heading.trim().toLowerCase().replaceAll(' ', '-'), body.join('\n')];
    }),
  );
}

const AWS_METRICS = [
  'AWS/Lambda DroppedEventCount',
  'AWS/Lambda Errors',
  'AWS/Lambda IteratorAge',
  'AWS/Lambda OnFailureDestinationDeliveredEventCount',
  'AWS/SQS ApproximateNumberOfMessagesVisible',
];

test('the alarms are these, each with its treatment of silence', () => {
  const table = alarmsOf().map(({ AlarmName, TreatMissingData }) => [AlarmName, TreatMissingData]);
  expect(Object.fromEntries(table)).toEqual({
    'Punctual-oldest-overdue': 'breaching',
    'Punctual-tick-silent': 'breaching',
    'Punctual-relay-behind': 'notBreaching',
    'Punctual-records-failed': 'notBreaching',
    'Punctual-records-dropped': 'notBreaching',
    'Punctual-dead-letters': 'notBreaching',
    'Punctual-schedules-without-success': 'ignore',
    'Punctual-canary-silent': 'breaching',
    'Punctual-tick-errors': 'notBreaching',
    'Punctual-relay-errors': 'notBreaching',
    'Punctual-worker-errors': 'notBreaching',
    'Punctual-sweep-errors': 'notBreaching',
    'Punctual-api-errors': 'notBreaching',
  });
});

describe.each(alarmsOf().map((alarm) => [alarm.AlarmName, alarm] as const))('%s', (_, alarm) => {
  test('watches a metric that somebody emits', () => {
    if (alarm.Namespace === METRIC_NAMESPACE) {
      expect(Object.values<string>(METRIC)).toContain(alarm.MetricName);
      expect(alarm.Dimensions).toEqual([{ Name: 'service', Value: 'Punctual' }]);
    } else {
      expect(AWS_METRICS).toContain(`${alarm.Namespace} ${alarm.MetricName}`);
      expect(alarm.Dimensions).toHaveLength(1);
    }
  });

  test('leads to a section of the runbook that says what it means, what to look at and what to do', () => {
    const [, anchor = ''] = alarm.AlarmDescription.match(/docs\/runbook\.md#([\w-]+)$/) ?? [];
    expect(alarm.AlarmName).toBe(`Punctual-${anchor}`);
    const section = runbookSections().get(anchor);
    expect(section).toMatch(/\*\*Means\.\*\*[\s\S]*\*\*Look at\.\*\*[\s\S]*\*\*Do\.\*\*/);
  });

  test('reaches the topic', () => {
    expect(alarm.AlarmActions.map(textOf)).toEqual(['<MonitoringAlarmsTopic>']);
  });
});

test('the runbook has no section for an alarm that does not exist', () => {
  const ids = alarmsOf().map(({ AlarmName }) => AlarmName.replace('Punctual-', ''));
  expect([...runbookSections().keys()].toSorted()).toEqual(ids.toSorted());
});

test('a deployment without a canary does not wait for it', () => {
  const names = (settings: Readonly<Record<string, unknown>>) =>
    alarmsOf(settings).map(({ AlarmName }) => AlarmName);
  const silent = 'Punctual-canary-silent';
  expect(names({ canary: false }).toSorted()).toEqual(
    names({})
      .filter((name) => name !== silent)
      .toSorted(),
  );
});

test('thresholds follow the settings', () => {
  const thresholds = Object.fromEntries(
    alarmsOf({ overdueAlarmSeconds: 300, leadSeconds: 200 }).map(({ MetricName, Threshold }) => [
      MetricName,
      Threshold,
    ]),
  );
  expect(thresholds).toMatchObject({ OldestOverdueSeconds: 300, IteratorAge: 100_000 });
});

test('alarms of this account may publish to the topic, which its policy would otherwise refuse', () => {
  const { Statement } = propertiesOf(templateOf(), 'AWS::SNS::TopicPolicy', 'MonitoringAlarmsTopicPolicy')
    .PolicyDocument as { Statement: unknown[] };
  expect(Statement).toContainEqual(
    expect.objectContaining({
      Effect: 'Allow',
      Action: 'sns:Publish',
      Principal: { Service: 'cloudwatch.amazonaws.com' },
      Condition: expect.objectContaining({
        StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } },
      }),
    }),
  );
});

test('an e-mail address is subscribed when there is one', () => {
  expect(resourcesOf(templateOf(), 'AWS::SNS::Subscription')).toEqual({});
  const subscriptions = Object.values(
    resourcesOf(templateOf({ alarmEmail: 'ops@example.com' }), 'AWS::SNS::Subscription'),
  );
  expect(subscriptions.map(({ Properties }) => Properties)).toMatchObject([
    { Protocol: 'email', Endpoint: 'ops@example.com' },
  ]);
});

test('two stacks in one account have alarms of their own', () => {
  for (const { AlarmName } of alarmsOf({ stackName: 'Punctual-dev' })) {
    expect(AlarmName).toMatch(/^Punctual-dev-/);
  }
});
