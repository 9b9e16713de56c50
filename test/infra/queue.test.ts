import { expect, test } from 'vitest';
import { propertiesOf, resourcesOf, templateOf, textOf } from './support/synth.ts';

const template = templateOf();
const work = propertiesOf(template, 'AWS::SQS::Queue', 'QueueWork');
const deadLetters = propertiesOf(template, 'AWS::SQS::Queue', 'QueueDeadLetters');

test('a message stays hidden for six times the worker timeout', () => {
  const worker = propertiesOf(template, 'AWS::Lambda::Function', 'WorkerFunction');
  expect(work.VisibilityTimeout).toBe(6 * (worker.Timeout as number));
});

test('the work queue is a standard one: only those take a delay per message', () => {
  expect(work.FifoQueue).toBeUndefined();
});

test('what five workers could not take goes to the dead-letter queue and stays 14 days', () => {
  const { deadLetterTargetArn, maxReceiveCount } = work.RedrivePolicy as Record<string, unknown>;
  expect(textOf(deadLetterTargetArn)).toBe('<QueueDeadLetters.Arn>');
  expect(maxReceiveCount).toBe(5);
  expect(deadLetters.MessageRetentionPeriod).toBe(14 * 86_400);
  expect(work.MessageRetentionPeriod).toBeLessThan(deadLetters.MessageRetentionPeriod as number);
});

test.each([
  ['AWS::SQS::QueuePolicy', 'QueueWorkPolicy', 'sqs:*'],
  ['AWS::SQS::QueuePolicy', 'QueueDeadLettersPolicy', 'sqs:*'],
  ['AWS::S3::BucketPolicy', 'FailedRecordsBucketPolicy', 's3:*'],
  ['AWS::SNS::TopicPolicy', 'MonitoringAlarmsTopicPolicy', 'sns:Publish'],
])('%s %s refuses requests without TLS', (type, name, action) => {
  const { Statement } = propertiesOf(template, type, name).PolicyDocument as { Statement: unknown[] };
  expect(Statement).toContainEqual(
    expect.objectContaining({
      Effect: 'Deny',
      Action: action,
      Condition: { Bool: { 'aws:SecureTransport': 'false' } },
    }),
  );
});

test('queues and bucket are encrypted and the bucket is private', () => {
  for (const { Properties } of Object.values(resourcesOf(template, 'AWS::SQS::Queue'))) {
    expect(Properties.SqsManagedSseEnabled).toBe(true);
  }
  expect(propertiesOf(template, 'AWS::S3::Bucket', 'FailedRecordsBucket')).toMatchObject({
    BucketEncryption: expect.anything(),
    PublicAccessBlockConfiguration: {
      BlockPublicAcls: true,
      BlockPublicPolicy: true,
      IgnorePublicAcls: true,
      RestrictPublicBuckets: true,
    },
  });
});
