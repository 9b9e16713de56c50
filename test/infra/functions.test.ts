import { describe, expect, test } from 'vitest';
import {
  apiEnv,
  LIMITS,
  parseEnv,
  relayEnv,
  sweepEnv,
  tickEnv,
  workerEnv,
} from '../../lambdas/contract/env.ts';
import { SERVICE_VARIABLE } from '../../lambdas/contract/metrics.ts';
import { propertiesOf, resourcesOf, templateOf, textOf } from './support/synth.ts';

const FUNCTION = 'AWS::Lambda::Function';
const template = templateOf();

const FUNCTIONS = [
  ['Tick', tickEnv, 55],
  ['Relay', relayEnv, 30],
  ['Worker', workerEnv, 900],
  ['Sweep', sweepEnv, 55],
  ['Api', apiEnv, 29],
] as const;

test('there are these five functions and no helper of CDK besides', () => {
  expect(Object.keys(resourcesOf(template, FUNCTION)).toSorted()).toEqual(
    FUNCTIONS.map(([name]) => `${name}Function`).toSorted(),
  );
});

describe.each(FUNCTIONS)('%s', (name, schema, timeout) => {
  const lambda = propertiesOf(template, FUNCTION, `${name}Function`);

  test('runs on Node 24 on arm64 for at most its time', () => {
    expect(lambda).toMatchObject({ Runtime: 'nodejs24.x', Architectures: ['arm64'], Timeout: timeout });
  });

  test('has an environment that its handler accepts, and nothing in it that the handler does not read', () => {
    const { Variables } = lambda.Environment as { Variables: Record<string, unknown> };
    const { NODE_OPTIONS, [SERVICE_VARIABLE]: service, ...own } = Variables;
    expect(NODE_OPTIONS).toBe('--enable-source-maps');
    expect(service).toBe('Punctual');
    expect(Object.keys(own).toSorted()).toEqual(Object.keys(schema.shape).toSorted());
    const given = Object.entries(own).map(([key, value]) => [
      key,
      typeof value === 'string' ? value : 'https://known.when/deployed',
    ]);
    expect(() => parseEnv(schema, Object.fromEntries(given))).not.toThrow();
  });

  test('logs JSON into a group of its own that forgets', () => {
    const { LogFormat, LogGroup } = lambda.LoggingConfig as Record<string, unknown>;
    expect(LogFormat).toBe('JSON');
    expect(textOf(LogGroup)).toBe(`<${name}Logs>`);
    expect(propertiesOf(template, 'AWS::Logs::LogGroup', `${name}Logs`).RetentionInDays).toBe(30);
  });
});

test('settings reach the functions', () => {
  const other = templateOf({
    shardCount: 32,
    shardsPerInvocation: 4,
    leadSeconds: 180,
    planWindowSeconds: 900,
    retentionDays: 7,
    leaseSeconds: 90,
    redispatchSeconds: 45,
    httpAllowedRanges: '10.0.0.0/8,172.16.0.0/12',
    allowedTargets: ['api.example.com', 'arn:aws:sqs:*:123456789012:orders-*'],
    allowedSecrets: 'arn:aws:ssm:*:123456789012:parameter/crm/*',
    workerMemoryMb: 2048,
    tickMemoryMb: 1769,
    logRetentionDays: 90,
    canary: false,
  });
  expect(propertiesOf(other, FUNCTION, 'TickFunction')).toMatchObject({
    MemorySize: 1769,
    Environment: {
      Variables: {
        SHARD_COUNT: '32',
        SHARDS_PER_INVOCATION: '4',
        LEAD_SECONDS: '180',
        PLAN_WINDOW_SECONDS: '900',
        RETENTION_DAYS: '7',
      },
    },
  });
  expect(propertiesOf(other, FUNCTION, 'WorkerFunction')).toMatchObject({
    MemorySize: 2048,
    Environment: { Variables: { LEASE_SECONDS: '90', HTTP_ALLOWED_RANGES: '10.0.0.0/8,172.16.0.0/12' } },
  });
  // The api refuses by the very lists by which the worker does.
  for (const name of ['Api', 'Worker']) {
    expect(propertiesOf(other, FUNCTION, `${name}Function`)).toMatchObject({
      Environment: {
        Variables: {
          ALLOWED_TARGETS: 'api.example.com,arn:aws:sqs:*:123456789012:orders-*',
          ALLOWED_SECRETS: 'arn:aws:ssm:*:123456789012:parameter/crm/*',
        },
      },
    });
  }
  expect(propertiesOf(other, FUNCTION, 'SweepFunction')).toMatchObject({
    Environment: { Variables: { REDISPATCH_SECONDS: '45', SHARD_COUNT: '32', CANARY: 'false' } },
  });
  for (const { Properties } of Object.values(resourcesOf(other, 'AWS::Logs::LogGroup'))) {
    expect(Properties.RetentionInDays).toBe(90);
  }
});

test('the longest lists that are accepted fit into the environment of a function, whatever CloudFormation calls things', () => {
  // AWS: 4 KB of keys and values. A name that is made up begins with the stack's, and has at most so many characters.
  const [most, longestName] = [4096, 200];
  const prefix = 'arn:aws:sqs:eu-west-1:123456789012:';
  const longest = templateOf({
    allowedTargets: [`${prefix}${'q'.repeat(LIMITS.environmentLists - prefix.length)}`],
  });
  for (const name of ['Api', 'Worker']) {
    const { Variables } = propertiesOf(longest, FUNCTION, `${name}Function`).Environment as {
      Variables: Record<string, unknown>;
    };
    const size = Object.entries(Variables).reduce(
      (sum, [key, value]) => sum + key.length + (typeof value === 'string' ? value.length : longestName),
      0,
    );
    expect(size).toBeGreaterThan(LIMITS.environmentLists);
    expect(size).toBeLessThanOrEqual(most);
  }
});

test('a deployed worker reaches no private address unless a range is named', () => {
  expect(propertiesOf(template, FUNCTION, 'WorkerFunction')).toMatchObject({
    Environment: { Variables: { HTTP_ALLOWED_RANGES: '' } },
  });
});

test('Lambda does not take a message that waits for hours for an endless loop', () => {
  expect(propertiesOf(template, FUNCTION, 'WorkerFunction').RecursiveLoop).toBe('Allow');
  expect(propertiesOf(template, FUNCTION, 'TickFunction').RecursiveLoop).toBeUndefined();
});
