import { expect, test } from 'vitest';
import { RELAY_FILTER } from '../../lambdas/contract/tables.ts';
import { propertiesOf, resourcesOf, templateOf, textOf } from './support/synth.ts';

const MAPPING = 'AWS::Lambda::EventSourceMapping';
const template = templateOf();

test('the relay reads the outbox in ten lanes per shard, and gives up what it cannot hand over', () => {
  const mapping = propertiesOf(template, MAPPING, 'RelayOutbox');
  expect(textOf(mapping.EventSourceArn)).toBe('<StoreOccurrences.StreamArn>');
  expect(textOf(mapping.FunctionName)).toBe('<RelayFunction>');
  expect(mapping).toMatchObject({
    BatchSize: 100,
    ParallelizationFactor: 10,
    FunctionResponseTypes: ['ReportBatchItemFailures'],
    BisectBatchOnFunctionError: true,
    MaximumRetryAttempts: 10,
    MaximumRecordAgeInSeconds: 3600,
    StartingPosition: 'TRIM_HORIZON',
    MetricsConfig: { Metrics: ['EventCount'] },
  });
  const { OnFailure } = mapping.DestinationConfig as { OnFailure: { Destination: unknown } };
  expect(textOf(OnFailure.Destination)).toBe('<FailedRecordsBucket.Arn>');
});

test("the relay's filter is the contract's", () => {
  const { Filters } = propertiesOf(template, MAPPING, 'RelayOutbox').FilterCriteria as {
    Filters: { Pattern: string }[];
  };
  expect(Filters.map(({ Pattern }) => JSON.parse(Pattern))).toEqual([RELAY_FILTER]);
});

test('the worker takes ten messages at once, without a window, and reports them one by one', () => {
  const mapping = propertiesOf(template, MAPPING, 'WorkerWork');
  expect(textOf(mapping.EventSourceArn)).toBe('<QueueWork.Arn>');
  expect(mapping).toMatchObject({ BatchSize: 10, FunctionResponseTypes: ['ReportBatchItemFailures'] });
  for (const unset of ['MaximumBatchingWindowInSeconds', 'ProvisionedPollerConfig']) {
    expect(mapping).not.toHaveProperty(unset);
  }
});

test('workers can be limited, or pollers provisioned', () => {
  expect(propertiesOf(templateOf({ workerMaxConcurrency: 50 }), MAPPING, 'WorkerWork').ScalingConfig).toEqual(
    {
      MaximumConcurrency: 50,
    },
  );
  const provisioned = templateOf({ workerMinPollers: 200, workerMaxPollers: 2000 });
  expect(propertiesOf(provisioned, MAPPING, 'WorkerWork')).not.toHaveProperty('ScalingConfig');
  expect(propertiesOf(provisioned, MAPPING, 'WorkerWork').ProvisionedPollerConfig).toEqual({
    MinimumPollers: 200,
    MaximumPollers: 2000,
  });
});

test.each(['Tick', 'Sweep'])(
  '%s starts each minute, and a late or failed run is left to the next',
  (name) => {
    const rule = propertiesOf(template, 'AWS::Events::Rule', `${name}ClockRule`);
    expect(rule).toMatchObject({ ScheduleExpression: 'rate(1 minute)', State: 'ENABLED' });
    const targets = rule.Targets as { Arn: unknown; RetryPolicy: unknown }[];
    expect(targets.map(({ Arn }) => textOf(Arn))).toEqual([`<${name}Function.Arn>`]);
    expect(targets[0]?.RetryPolicy).toEqual({ MaximumEventAgeInSeconds: 60, MaximumRetryAttempts: 3 });
    const async = propertiesOf(
      template,
      'AWS::Lambda::EventInvokeConfig',
      `${name}FunctionEventInvokeConfig`,
    );
    expect(async).toMatchObject({ MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 });
    const { Timeout } = propertiesOf(template, 'AWS::Lambda::Function', `${name}Function`);
    expect(Timeout).toBeLessThan(60);
  },
);

test('nothing else may start a function', () => {
  const permissions = Object.values(resourcesOf(template, 'AWS::Lambda::Permission')).map(
    ({ Properties }) => {
      const { Principal, FunctionName, SourceArn } = Properties;
      return `${Principal} ${textOf(FunctionName)} from ${textOf(SourceArn)}`;
    },
  );
  expect(permissions.toSorted()).toEqual([
    'apigateway.amazonaws.com <ApiFunction.Arn> from ' +
      'arn:<AWS::Partition>:execute-api:<AWS::Region>:<AWS::AccountId>:<HttpApi>/*/*/*',
    'events.amazonaws.com <SweepFunction.Arn> from <SweepClockRule.Arn>',
    'events.amazonaws.com <TickFunction.Arn> from <TickClockRule.Arn>',
  ]);
});
