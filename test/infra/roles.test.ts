import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { calendarUserKey } from '../../lambdas/adapters/dynamodb/calendars/calendar-items.ts';
import { headKey, SHARD_COUNT_KEY, stripeKey, watchKey } from '../../lambdas/adapters/dynamodb/keys.ts';
import { scheduleId } from '../../lambdas/core/ids.ts';
import { resourcesOf, templateOf, textOf } from './support/synth.ts';

interface Statement {
  readonly Effect: string;
  readonly Action: string | string[];
  readonly Resource: unknown;
  readonly Condition?: unknown;
}

/** Everything a role may do, one line for each action on each resource. */
function rightsOf(template: Template, role: string): string[] {
  const policies = Object.values(resourcesOf(template, 'AWS::IAM::Policy')).filter(({ Properties }) =>
    (Properties.Roles as unknown[]).some((attached) => textOf(attached) === `<${role}>`),
  );
  const statements = policies.flatMap(
    ({ Properties }) => (Properties.PolicyDocument as { Statement: Statement[] }).Statement,
  );
  return statements
    .flatMap(({ Effect, Action, Resource, Condition }) =>
      [Resource].flat().flatMap((resource) =>
        [Action].flat().map((action) => {
          const condition = Condition === undefined ? '' : ` if ${JSON.stringify(Condition)}`;
          return `${Effect} ${action} on ${textOf(resource)}${condition}`;
        }),
      ),
    )
    .toSorted();
}

const SCHEDULES = '<StoreSchedules.Arn>';
const OCCURRENCES = '<StoreOccurrences.Arn>';
const STREAM = '<StoreOccurrences.StreamArn>';

/** Items of schedules, and these of their attributes beside the keys. */
const onAttributes = (...names: readonly string[]) =>
  JSON.stringify({
    'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['S#*'] },
    'ForAllValues:StringEquals': { 'dynamodb:Attributes': ['pk', 'sk', ...names] },
  });

/** The whole of what the stack may do to anything. A line more here is a decision. */
const RIGHTS: Readonly<Record<string, readonly string[]>> = {
  TickRole: [
    `Allow dynamodb:BatchGetItem on ${OCCURRENCES}`,
    `Allow dynamodb:BatchGetItem on ${SCHEDULES}`,
    `Allow dynamodb:GetItem on ${SCHEDULES}`,
    `Allow dynamodb:PutItem on ${OCCURRENCES}`,
    `Allow dynamodb:Query on ${OCCURRENCES}`,
    `Allow dynamodb:Query on ${OCCURRENCES}/index/open`,
    `Allow dynamodb:Query on ${OCCURRENCES}/index/waiting`,
    `Allow dynamodb:Query on ${SCHEDULES}/index/due`,
    `Allow dynamodb:UpdateItem on ${OCCURRENCES}`,
    `Allow dynamodb:UpdateItem on ${SCHEDULES}`,
    'Allow lambda:InvokeFunction on <TickFunction.Arn>',
    'Allow logs:CreateLogStream on <TickLogs.Arn>',
    'Allow logs:PutLogEvents on <TickLogs.Arn>',
  ],
  RelayRole: [
    `Allow dynamodb:DescribeStream on ${STREAM}`,
    `Allow dynamodb:GetRecords on ${STREAM}`,
    `Allow dynamodb:GetShardIterator on ${STREAM}`,
    `Allow dynamodb:ListStreams on ${STREAM}`,
    'Allow logs:CreateLogStream on <RelayLogs.Arn>',
    'Allow logs:PutLogEvents on <RelayLogs.Arn>',
    'Allow s3:ListBucket on <FailedRecordsBucket.Arn>',
    'Allow s3:PutObject on <FailedRecordsBucket.Arn>/aws/lambda/*',
    'Allow sqs:SendMessage on <QueueWork.Arn>',
  ],
  WorkerRole: [
    `Allow dynamodb:BatchGetItem on ${OCCURRENCES}`,
    `Allow dynamodb:BatchGetItem on ${SCHEDULES}`,
    `Allow dynamodb:GetItem on ${OCCURRENCES}`,
    `Allow dynamodb:GetItem on ${SCHEDULES}`,
    `Allow dynamodb:PutItem on ${SCHEDULES} if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["S#*"]}}`,
    `Allow dynamodb:Query on ${OCCURRENCES}`,
    `Allow dynamodb:Query on ${OCCURRENCES}/index/open`,
    `Allow dynamodb:Query on ${OCCURRENCES}/index/waiting`,
    `Allow dynamodb:UpdateItem on ${OCCURRENCES}`,
    `Allow dynamodb:UpdateItem on ${SCHEDULES} if ${onAttributes('last_success_at')}`,
    'Allow logs:CreateLogStream on <WorkerLogs.Arn>',
    'Allow logs:PutLogEvents on <WorkerLogs.Arn>',
    'Allow sqs:ChangeMessageVisibility on <QueueWork.Arn>',
    'Allow sqs:DeleteMessage on <QueueWork.Arn>',
    'Allow sqs:GetQueueAttributes on <QueueWork.Arn>',
    'Allow sqs:ReceiveMessage on <QueueWork.Arn>',
    'Allow sqs:SendMessage on <QueueDeadLetters.Arn>',
    'Allow sqs:SendMessage on <QueueWork.Arn>',
    // The api function believes what API Gateway says about the caller; a schedule must not speak to it.
    ...['Api', 'Relay', 'Sweep', 'Tick', 'Worker'].flatMap((name) => [
      `Deny lambda:InvokeFunction on <${name}Function.Arn>`,
      `Deny lambda:InvokeFunction on <${name}Function.Arn>:*`,
    ]),
  ],
  SweepRole: [
    `Allow dynamodb:BatchGetItem on ${OCCURRENCES}`,
    `Allow dynamodb:BatchGetItem on ${SCHEDULES}`,
    `Allow dynamodb:GetItem on ${OCCURRENCES}`,
    `Allow dynamodb:GetItem on ${SCHEDULES}`,
    `Allow dynamodb:PutItem on ${SCHEDULES} if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["S#*"]}}`,
    `Allow dynamodb:Query on ${OCCURRENCES}`,
    `Allow dynamodb:Query on ${OCCURRENCES}/index/open`,
    `Allow dynamodb:Query on ${OCCURRENCES}/index/waiting`,
    `Allow dynamodb:Query on ${SCHEDULES}/index/due`,
    `Allow dynamodb:UpdateItem on ${OCCURRENCES}`,
    `Allow dynamodb:UpdateItem on ${SCHEDULES} if {"ForAllValues:StringEquals":{"dynamodb:LeadingKeys":["SHARDS"]}}`,
    `Allow dynamodb:UpdateItem on ${SCHEDULES} if ${onAttributes('last_success_at', 'next_due_at', 'shard', 'purge_at')}`,
    'Allow logs:CreateLogStream on <SweepLogs.Arn>',
    'Allow logs:PutLogEvents on <SweepLogs.Arn>',
    'Allow sqs:GetQueueAttributes on <QueueWork.Arn>',
  ],
  ApiRole: [
    `Allow dynamodb:BatchGetItem on ${OCCURRENCES}`,
    `Allow dynamodb:BatchGetItem on ${SCHEDULES}`,
    `Allow dynamodb:ConditionCheckItem on ${SCHEDULES}`,
    `Allow dynamodb:DeleteItem on ${SCHEDULES} if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["K#*"]}}`,
    `Allow dynamodb:GetItem on ${OCCURRENCES}`,
    `Allow dynamodb:GetItem on ${SCHEDULES}`,
    `Allow dynamodb:PutItem on ${OCCURRENCES}`,
    `Allow dynamodb:PutItem on ${SCHEDULES}`,
    `Allow dynamodb:Query on ${OCCURRENCES}`,
    `Allow dynamodb:Query on ${OCCURRENCES}/index/attention`,
    `Allow dynamodb:Query on ${OCCURRENCES}/index/open`,
    `Allow dynamodb:Query on ${OCCURRENCES}/index/waiting`,
    `Allow dynamodb:Query on ${SCHEDULES}`,
    `Allow dynamodb:Query on ${SCHEDULES}/index/by_group`,
    `Allow dynamodb:Scan on ${SCHEDULES}/index/by_group`,
    `Allow dynamodb:UpdateItem on ${OCCURRENCES}`,
    `Allow dynamodb:UpdateItem on ${SCHEDULES}`,
    'Allow logs:CreateLogStream on <ApiLogs.Arn>',
    'Allow logs:PutLogEvents on <ApiLogs.Arn>',
  ],
};

const template = templateOf();

test('there is one role per function and no other', () => {
  expect(Object.keys(resourcesOf(template, 'AWS::IAM::Role')).toSorted()).toEqual(
    Object.keys(RIGHTS).toSorted(),
  );
});

describe.each(Object.keys(RIGHTS))('%s', (role) => {
  test('may do exactly what the table says', () => {
    expect(rightsOf(template, role)).toEqual(RIGHTS[role]);
  });

  test('is assumed by Lambda only and has no managed or embedded policy', () => {
    const { AssumeRolePolicyDocument, ...rest } =
      resourcesOf(template, 'AWS::IAM::Role')[role]?.Properties ?? {};
    expect(rest).toEqual({});
    expect(AssumeRolePolicyDocument).toMatchObject({
      Statement: [
        { Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { Service: 'lambda.amazonaws.com' } },
      ],
    });
  });
});

test('conditions name the items that they are about', () => {
  expect(SHARD_COUNT_KEY.pk).toBe('SHARDS');
  expect(stripeKey({ slot: 'any', stripe: 0 }).pk).toMatch(/^C#/);
  expect(calendarUserKey('any', scheduleId('g', 'n')).pk).toMatch(/^K#/);
  expect(headKey(scheduleId('group', 'name')).pk).toMatch(/^S#/);
  expect(watchKey(scheduleId('group', 'name')).pk).toMatch(/^S#/);
});

test('targets and secrets that are named may be called and read by the worker, and by nobody else', () => {
  const open = templateOf({
    allowedTargets: [
      'arn:aws:lambda:*:123456789012:function:report-*',
      'arn:aws:sqs:eu-west-1:123456789012:orders',
      'arn:aws:sqs:eu-west-1:123456789012:bills-*',
      'arn:aws:sns:eu-west-1:123456789012:news',
      'arn:aws:events:eu-west-1:123456789012:event-bus/default',
      'arn:aws:states:eu-west-1:123456789012:stateMachine:Nightly',
      'api.example.com',
    ],
    allowedSecrets: [
      'arn:aws:secretsmanager:eu-west-1:123456789012:secret:crm/*',
      'arn:aws:ssm:eu-west-1:123456789012:parameter/crm/token',
      'arn:aws:kms:eu-west-1:123456789012:key/1234abcd',
    ],
  });
  const added = (role: string) => rightsOf(open, role).filter((right) => !RIGHTS[role]?.includes(right));
  expect(added('WorkerRole')).toEqual([
    'Allow events:PutEvents on arn:aws:events:eu-west-1:123456789012:event-bus/default',
    'Allow kms:Decrypt on arn:aws:kms:eu-west-1:123456789012:key/1234abcd if ' +
      '{"StringLike":{"kms:ViaService":["secretsmanager.*","ssm.*"]}}',
    'Allow lambda:InvokeFunction on arn:aws:lambda:*:123456789012:function:report-*',
    'Allow secretsmanager:GetSecretValue on arn:aws:secretsmanager:eu-west-1:123456789012:secret:crm/*',
    'Allow sns:Publish on arn:aws:sns:eu-west-1:123456789012:news',
    'Allow sqs:SendMessage on arn:aws:sqs:eu-west-1:123456789012:bills-*',
    'Allow sqs:SendMessage on arn:aws:sqs:eu-west-1:123456789012:orders',
    'Allow ssm:GetParameter on arn:aws:ssm:eu-west-1:123456789012:parameter/crm/token',
    'Allow states:StartExecution on arn:aws:states:eu-west-1:123456789012:stateMachine:Nightly',
  ]);
  for (const role of Object.keys(RIGHTS).filter((name) => name !== 'WorkerRole')) {
    expect(added(role)).toEqual([]);
  }
});
