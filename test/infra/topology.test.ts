import { describe, expect, test } from 'vitest';
import type { FunctionName } from '../../lambdas/contract/topology.ts';
import { LOCAL, timeoutMsOf } from '../../local/settings.ts';
import { propertiesOf, resourcesOf, templateOf } from './support/synth.ts';

const template = templateOf();
const RESOURCES = {
  tick: 'TickFunction',
  relay: 'RelayFunction',
  worker: 'WorkerFunction',
  sweep: 'SweepFunction',
  api: 'ApiFunction',
} as const satisfies Record<FunctionName, string>;

const functionOf = (name: FunctionName) => propertiesOf(template, 'AWS::Lambda::Function', RESOURCES[name]);

const variablesOf = (name: FunctionName) =>
  (functionOf(name).Environment as { Variables: Record<string, string> }).Variables;

describe('the embedded run takes the figures of the template', () => {
  test.each(Object.keys(RESOURCES) as FunctionName[])('%s has the time-out of its function', (name) => {
    expect(timeoutMsOf(name)).toBe(Number(functionOf(name).Timeout) * 1_000);
  });

  test('the work queue hides and gives up messages alike, and hands over batches of one size', () => {
    const queue = propertiesOf(template, 'AWS::SQS::Queue', 'QueueWork');
    expect(LOCAL.queue).toMatchObject({
      visibilityTimeoutSeconds: queue.VisibilityTimeout,
      maxReceives: (queue.RedrivePolicy as { maxReceiveCount: number }).maxReceiveCount,
    });
    const mapping = propertiesOf(template, 'AWS::Lambda::EventSourceMapping', 'WorkerWork');
    expect(LOCAL.worker.batchSize).toBe(mapping.BatchSize);
  });

  test('the relay gets batches of one size, as often before they are given up', () => {
    const mapping = propertiesOf(template, 'AWS::Lambda::EventSourceMapping', 'RelayOutbox');
    expect(LOCAL.relay.batchSize).toBe(mapping.BatchSize);
    expect(LOCAL.relay.policy.maxAttempts).toBe(1 + Number(mapping.MaximumRetryAttempts));
  });

  test('the tick comes each minute', () => {
    const rule = propertiesOf(template, 'AWS::Events::Rule', 'TickClockRule');
    expect(rule.ScheduleExpression).toBe('rate(1 minute)');
    expect(LOCAL.tickEveryMs).toBe(60_000);
  });

  test('planning looks as far ahead, and records are kept as long', () => {
    expect(variablesOf('tick')).toMatchObject({
      LEAD_SECONDS: String(LOCAL.leadSeconds),
      PLAN_WINDOW_SECONDS: String(LOCAL.planWindowSeconds),
      RETENTION_DAYS: String(LOCAL.retentionDays),
    });
  });
});

test('a message outlives all that can happen to it, and a dead letter its message', () => {
  const queues = resourcesOf(template, 'AWS::SQS::Queue');
  const { VisibilityTimeout, MessageRetentionPeriod } = queues.QueueWork?.Properties ?? {};
  const worker = Number(functionOf('worker').Timeout);
  expect(Number(VisibilityTimeout)).toBeGreaterThanOrEqual(6 * worker);
  expect(Number(MessageRetentionPeriod)).toBeGreaterThan(Number(VisibilityTimeout) * 5);
  expect(Number(queues.QueueDeadLetters?.Properties.MessageRetentionPeriod)).toBeGreaterThan(
    Number(MessageRetentionPeriod),
  );
});
