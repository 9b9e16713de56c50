import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { METRIC, METRIC_NAMESPACE } from '../../lambdas/contract/metrics.ts';
import { alarmsOf } from '../support/alarms/template.ts';
import { propertiesOf, ROOT, resourcesOf, templateOf, textOf } from './support/synth.ts';

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

/** Of the namespaces that AWS fills: those metrics that its documentation names, with their dimensions. */
const AWS_METRICS: Readonly<Record<string, readonly string[]>> = {
  'AWS/ApiGateway 5xx': ['ApiId'],
  'AWS/DynamoDB ReadThrottleEvents': ['TableName', 'GlobalSecondaryIndexName,TableName'],
  'AWS/DynamoDB WriteThrottleEvents': ['TableName', 'GlobalSecondaryIndexName,TableName'],
  'AWS/Lambda DroppedEventCount': ['EventSourceMappingUUID'],
  'AWS/Lambda Errors': ['FunctionName'],
  'AWS/Lambda IteratorAge': ['FunctionName'],
  'AWS/Lambda OnFailureDestinationDeliveredEventCount': ['EventSourceMappingUUID'],
  'AWS/Lambda Throttles': ['FunctionName'],
  'AWS/SQS ApproximateAgeOfOldestMessage': ['QueueName'],
  'AWS/SQS ApproximateNumberOfMessagesVisible': ['QueueName'],
};

/** What is about the engine is told by the composite alarm. */
const ENGINE = {
  'oldest-overdue': 'breaching',
  'overdue-count': 'notBreaching',
  'tick-silent': 'breaching',
  'shard-lag': 'notBreaching',
  'canary-silent': 'breaching',
  'relay-behind': 'notBreaching',
  'records-failed': 'notBreaching',
  'records-dropped': 'notBreaching',
  'queue-age': 'notBreaching',
  'leases-expired': 'notBreaching',
  'tick-errors': 'notBreaching',
  'relay-errors': 'notBreaching',
  'worker-errors': 'notBreaching',
  'sweep-errors': 'notBreaching',
  'api-errors': 'notBreaching',
  'functions-throttled': 'notBreaching',
  'schedules-throttled': 'notBreaching',
  'occurrences-throttled': 'notBreaching',
  'api-5xx': 'notBreaching',
};
const WORK = {
  'dead-letters': 'notBreaching',
  'messages-rejected': 'notBreaching',
  'pull-unclaimed': 'notBreaching',
  'occurrences-failed': 'notBreaching',
  'schedules-paused': 'notBreaching',
  'schedules-without-success': 'ignore',
};
const TOPIC = ['<MonitoringAlarmsTopic>'];
const composite = (settings?: Readonly<Record<string, unknown>>) =>
  propertiesOf(templateOf(settings), 'AWS::CloudWatch::CompositeAlarm', 'Monitoringunhealthy');

test('the alarms are these, each with its treatment of silence', () => {
  const treated = [...alarmsOf().values()].map(({ id, missing }) => [id, missing]);
  expect(Object.fromEntries(treated)).toEqual({ ...ENGINE, ...WORK });
});

describe.each([...alarmsOf()])('%s', (id, alarm) => {
  test('watches metrics that somebody emits', () => {
    for (const { namespace, name, dimensions } of alarm.metrics) {
      if (namespace === METRIC_NAMESPACE) {
        expect(Object.values<string>(METRIC)).toContain(name);
        expect(dimensions).toEqual({ service: 'Punctual' });
      } else {
        expect(AWS_METRICS[`${namespace} ${name}`]).toContain(Object.keys(dimensions).join());
      }
    }
  });

  test('leads to a section of the runbook that says what it means, what to look at and what to do', () => {
    expect(alarm.description).toMatch(new RegExp(`docs/runbook\\.md#${id}$`));
    const section = runbookSections().get(id);
    expect(section).toMatch(/\*\*Means\.\*\*[\s\S]*\*\*Look at\.\*\*[\s\S]*\*\*Do\.\*\*/);
    expect(section?.trim()).toMatch(id in ENGINE ? /^\*engine\*\n/ : /^\*work\*\n/);
  });

  test('is told once: by the composite alarm or by itself', () => {
    expect(alarm.tells).toEqual(id in ENGINE ? { alarm: [], ok: [] } : { alarm: TOPIC, ok: TOPIC });
  });

  test('uses no more metrics than an alarm may', () => {
    // AWS: Create a CloudWatch alarm based on a metric math expression.
    expect(alarm.metrics.length).toBeLessThanOrEqual(10);
  });
});

test('the composite alarm is on while any alarm about the engine is, and tells its beginning and end', () => {
  const { AlarmName, AlarmDescription, AlarmRule, AlarmActions, OKActions } = composite();
  expect([AlarmName, AlarmDescription]).toEqual(['Punctual-unhealthy', expect.stringMatching(/#unhealthy$/)]);
  const rule = textOf(AlarmRule).replace(/^\(|\)$/g, '');
  expect(rule.split(' OR ').toSorted()).toEqual(
    Object.keys(ENGINE)
      .map((id) => `ALARM("<Monitoring${id.replaceAll('-', '')}.Arn>")`)
      .toSorted(),
  );
  expect([AlarmActions, OKActions].map((told) => (told as unknown[]).map(textOf))).toEqual([TOPIC, TOPIC]);
});

test('the runbook has no section for an alarm that does not exist', () => {
  expect([...runbookSections().keys()].toSorted()).toEqual(['unhealthy', ...alarmsOf().keys()].toSorted());
});

test('thresholds follow the settings', () => {
  const alarms = alarmsOf({
    overdueAlarmSeconds: 300,
    overdueAlarmCount: 7,
    failedAlarmCount: 5,
    leadSeconds: 200,
  });
  const threshold = (id: string) => alarms.get(id)?.threshold;
  expect(threshold('oldest-overdue')).toBe(300);
  expect(threshold('overdue-count')).toBe(7);
  expect(threshold('occurrences-failed')).toBe(5);
  expect(threshold('relay-behind')).toBe(100_000);
});

test('without the canary nothing waits for it', () => {
  expect(alarmsOf({ canary: false }).has('canary-silent')).toBe(false);
  expect(textOf(composite({ canary: false }).AlarmRule)).not.toContain('canary');
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
  expect([...alarmsOf({ stackName: 'Punctual-dev' }).keys()]).toEqual([...alarmsOf().keys()]);
  expect(composite({ stackName: 'Punctual-dev' }).AlarmName).toBe('Punctual-dev-unhealthy');
});

test('an environment that nobody watches has none of it', () => {
  const template = templateOf({ monitoring: false });
  for (const type of ['AWS::CloudWatch::Alarm', 'AWS::CloudWatch::Dashboard', 'AWS::SNS::Topic']) {
    expect(resourcesOf(templateOf(), type)).not.toEqual({});
    expect(resourcesOf(template, type)).toEqual({});
  }
  expect(template.findOutputs('AlarmTopicArn')).toEqual({});
});
