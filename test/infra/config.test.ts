import { expect, test } from 'vitest';
import { CONTEXT_PREFIX, parseConfig } from '../../lib/config.ts';

function configOf(settings: Readonly<Record<string, unknown>>) {
  return parseConfig(
    Object.fromEntries(Object.entries(settings).map(([key, value]) => [`${CONTEXT_PREFIX}${key}`, value])),
  );
}

test('without any setting the defaults hold', () => {
  expect(configOf({})).toEqual({
    stackName: 'Punctual',
    shardCount: 16,
    shardsPerInvocation: 8,
    leadSeconds: 120,
    planWindowSeconds: 600,
    leaseSeconds: 60,
    redispatchSeconds: 120,
    retentionDays: 30,
    logRetentionDays: 30,
    removalPolicy: 'retain',
    overdueAlarmSeconds: 60,
    overdueAlarmCount: 100,
    failedAlarmCount: 1,
    workerMaxConcurrency: 800,
    workerMemoryMb: 512,
    tickMemoryMb: 1024,
    canary: true,
    monitoring: true,
    apiRequestsPerSecond: 50,
    jwtAudience: [],
    jwtReadScopes: [],
    jwtWriteScopes: [],
    httpAllowedRanges: [],
    allowedTargets: [],
    allowedSecrets: [],
  });
});

test('numbers and lists may come as text, as the command line gives them', () => {
  const config = configOf({
    shardCount: '32',
    logRetentionDays: '90',
    canary: 'false',
    httpAllowedRanges: '10.0.0.0/8, ::1/128',
  });
  expect(config).toMatchObject({
    shardCount: 32,
    canary: false,
    logRetentionDays: 90,
    httpAllowedRanges: ['10.0.0.0/8', '::1/128'],
  });
});

test('targets of each kind may be allowed, by patterns that stay within the kind', () => {
  const arn = (rest: string) => `arn:aws:${rest}`;
  const targets = [
    arn('lambda:eu-west-1:123456789012:function:report-*'),
    arn('lambda:*:123456789012:function:report:live'),
    arn('sqs:eu-west-1:*:orders.fifo'),
    arn('sns:eu-west-1:123456789012:news'),
    arn('events:eu-west-1:123456789012:event-bus/*'),
    arn('states:eu-west-1:123456789012:stateMachine:Nightly'),
  ];
  expect(configOf({ allowedTargets: targets.join(',') }).allowedTargets).toEqual(targets);
  for (const refused of [
    arn('*:eu-west-1:123456789012:x'),
    arn('s3:::bucket'),
    arn('sqs:eu-west-1:1:x'),
    // To IAM that would be a variable.
    arn('lambda:eu-west-1:123456789012:function:$' + '{aws:username}'),
    arn('secretsmanager:eu-west-1:123456789012:secret:x'),
    arn('kms:eu-west-1:123456789012:key/x'),
  ]) {
    expect(() => configOf({ allowedTargets: [refused] })).toThrow(JSON.stringify(refused));
  }
});

test('context that is not ours is left alone', () => {
  expect(() => parseConfig({ '@aws-cdk/core:checkSecretUsage': true, shardCount: 'x' })).not.toThrow();
});

test.each([
  ['shardCount', 0, 'punctual:shardCount is 0; it must be a whole number from 1 to 256.'],
  ['shardCount', '257', 'punctual:shardCount is "257"; it must be a whole number from 1 to 256.'],
  ['shardCount', '', 'punctual:shardCount is ""; it must be a whole number from 1 to 256.'],
  ['shardCount', 1.5, 'punctual:shardCount is 1.5; it must be a whole number from 1 to 256.'],
  ['leadSeconds', 59, 'punctual:leadSeconds is 59; it must be a whole number from 60 to 600.'],
  ['planWindowSeconds', 901, 'punctual:planWindowSeconds is 901; it must be a whole number from 60 to 900.'],
  [
    'planWindowSeconds',
    119,
    'punctual:planWindowSeconds is 119; it must not be below leadSeconds, which is 120.',
  ],
  ['retentionDays', true, 'punctual:retentionDays is true; it must be a whole number from 1 to 3650.'],
  ['leaseSeconds', 5, 'punctual:leaseSeconds is 5; it must be a whole number from 6 to 900.'],
  ['monitoring', 1, 'punctual:monitoring is 1; it must be true or false.'],
  ['canary', 'no', 'punctual:canary is "no"; it must be true or false.'],
  ['removalPolicy', 'snapshot', `punctual:removalPolicy is "snapshot"; it must be 'retain' or 'destroy'.`],
  ['alarmEmail', 'ops', 'punctual:alarmEmail is "ops"; it must be an e-mail address.'],
  [
    'workerMaxConcurrency',
    1,
    'punctual:workerMaxConcurrency is 1; it must be a whole number from 2 to 1000.',
  ],
  ['workerMinPollers', 10, 'punctual:workerMaxPollers is not set; it must be set with workerMinPollers.'],
  [
    'httpAllowedRanges',
    ['10.0.0.0/8', '10.300.0.0/16'],
    'punctual:httpAllowedRanges is "10.300.0.0/16"; it must be a CIDR range such as 10.1.0.0/16.',
  ],
  [
    'httpAllowedRanges',
    '10.0.0.0/33',
    'punctual:httpAllowedRanges is "10.0.0.0/33"; it must be a CIDR range such as 10.1.0.0/16.',
  ],
  [
    'httpAllowedRanges',
    '10.0.0.1',
    'punctual:httpAllowedRanges is "10.0.0.1"; it must be a CIDR range such as 10.1.0.0/16.',
  ],
  [
    'allowedTargets',
    ['arn:aws:sqs:eu-west-1:123456789012:orders', '*'],
    'punctual:allowedTargets is "*"; it must be the ARN of a Lambda function, SQS queue, SNS topic, event ' +
      'bus or state machine, such as arn:aws:sqs:eu-west-1:123456789012:orders-*, or a host, such as ' +
      'api.example.com or *.example.com.',
  ],
  [
    'allowedSecrets',
    'arn:aws:sqs:eu-west-1:123456789012:orders',
    'punctual:allowedSecrets is "arn:aws:sqs:eu-west-1:123456789012:orders"; it must be the ARN of a secret of ' +
      'Secrets Manager, a parameter of Systems Manager or a KMS key, such as ' +
      'arn:aws:secretsmanager:eu-west-1:123456789012:secret:crm/*.',
  ],
  [
    'stackName',
    '1st',
    'punctual:stackName is "1st"; it must begin with a letter and hold only letters, digits and hyphens, ' +
      'at most 128.',
  ],
])('%s = %j is refused with its key, its value and what is allowed', (key, value, sentence) => {
  expect(() => configOf({ [key]: value })).toThrow(new Error(sentence));
});

const KEY = 'arn:aws:kms:eu-west-1:123456789012:key/mrk-1234abcd12ab34cd56ef1234567890ab';

test('a key is named by its ARN', () => {
  expect(configOf({ kmsKeyArn: KEY }).kmsKeyArn).toBe(KEY);
  const [, name = ''] = KEY.split(':key/');
  for (const refused of [name, KEY.replace('key/', 'alias/'), KEY.replace('kms', 'sqs')]) {
    expect(() => configOf({ kmsKeyArn: refused })).toThrow(
      `punctual:kmsKeyArn is "${refused}"; it must be the ARN of a KMS key, not of an alias, such as arn:`,
    );
  }
});

const TOKENS = { jwtIssuer: 'https://login.example.com/', jwtAudience: 'punctual' };

test('tokens take an issuer and an audience, and scopes if they are asked for', () => {
  expect(configOf({ ...TOKENS, jwtWriteScopes: 'schedules/write,admin' })).toMatchObject({
    jwtIssuer: 'https://login.example.com/',
    jwtAudience: ['punctual'],
    jwtReadScopes: [],
    jwtWriteScopes: ['schedules/write', 'admin'],
  });
});

test.each([
  [{ jwtIssuer: TOKENS.jwtIssuer }, 'jwtAudience is not set; it must be set with jwtIssuer.'],
  [{ ...TOKENS, jwtAudience: '' }, 'jwtAudience is ""; it must be set with jwtIssuer.'],
  [{ jwtAudience: 'a' }, 'jwtIssuer is not set; it must be set with jwtAudience and scopes.'],
  [{ jwtWriteScopes: 'a' }, 'jwtIssuer is not set; it must be set with jwtAudience and scopes.'],
  [
    { ...TOKENS, jwtIssuer: 'http://login.example.com/' },
    'jwtIssuer is "http://login.example.com/"; it must be an https URL, exactly as in the tokens, such as ' +
      'https://login.example.com/.',
  ],
  [
    { ...TOKENS, jwtReadScopes: 'read' },
    'jwtWriteScopes is not set; it must be set with jwtReadScopes, or writing would take less than reading.',
  ],
  [{ ...TOKENS, jwtAudience: 'one two' }, 'jwtAudience is "one two"; it must be an audience without blanks.'],
])('%j is refused', (settings, sentence) => {
  expect(() => configOf(settings)).toThrow(new Error(`punctual:${sentence}`));
});

test('every fault is told at once', () => {
  expect(() => configOf({ shardCount: 0, retentionDays: 0 })).toThrow(
    new Error(
      'punctual:shardCount is 0; it must be a whole number from 1 to 256.\n' +
        'punctual:retentionDays is 0; it must be a whole number from 1 to 3650.',
    ),
  );
});

test('a key that does not exist is refused by its name', () => {
  expect(() => configOf({ shrdCount: 3 })).toThrow(
    /^punctual:shrdCount is not a setting; there are stackName, /,
  );
});

test('pollers are a pair in order, and exclude the largest concurrency', () => {
  expect(configOf({ workerMinPollers: 2, workerMaxPollers: '200' })).toMatchObject({ workerMaxPollers: 200 });
  // The default of the one is no setting that would contradict the other.
  expect(configOf({ workerMinPollers: 2, workerMaxPollers: 9 })).not.toHaveProperty('workerMaxConcurrency');
  expect(configOf({ workerMaxConcurrency: 2 }).workerMaxConcurrency).toBe(2);
  expect(() => configOf({ workerMinPollers: 20, workerMaxPollers: 10 })).toThrow(
    'punctual:workerMaxPollers is 10; it must not be below workerMinPollers, which is 20.',
  );
  expect(() => configOf({ workerMinPollers: 2, workerMaxPollers: 9, workerMaxConcurrency: 50 })).toThrow(
    'punctual:workerMaxConcurrency is 50; it cannot be set together with provisioned pollers; ' +
      'AWS takes one or the other.',
  );
});

test('what is reserved for ticks is enough for all that one fans out to', () => {
  const reserved = { tickReservedConcurrency: 4, shardCount: 32 };
  expect(configOf(reserved)).toMatchObject(reserved);
  expect(() => configOf({ ...reserved, shardCount: 33 })).toThrow(
    'punctual:tickReservedConcurrency is 4; it must not be below 5, which is how many ticks 33 shards make at 8 each.',
  );
  expect(() => configOf({ sweepReservedConcurrency: 0 })).toThrow(
    'punctual:sweepReservedConcurrency is 0; it must be a whole number from 1 to 1000.',
  );
});

test('hosts may be allowed beside ARNs, whole or as what is below a name', () => {
  const hosts = [
    'api.example.com',
    '*.example.com',
    'http://10.1.2.3:8080',
    'bücher.example:8443',
    '[2606::1]',
  ];
  expect(configOf({ allowedTargets: hosts }).allowedTargets).toEqual(hosts);
  for (const refused of [
    '*',
    'api.*.com',
    '*.10.1.2.3',
    'https://example.com/path',
    'user@example.com',
    'ftp://example.com',
    'example.com:99999',
    'exa mple.com',
    'https://',
    '.',
  ]) {
    expect(() => configOf({ allowedTargets: [refused] }), refused).toThrow(JSON.stringify(refused));
  }
});

test('lists that do not fit into the environment of a function are refused with what to do', () => {
  const arn = (index: number) =>
    `arn:aws:sqs:eu-west-1:123456789012:orders-${String(index).padStart(3, '0')}`;
  const many = Array.from({ length: 60 }, (_, index) => arn(index));
  expect(configOf({ allowedTargets: many }).allowedTargets).toHaveLength(60);
  const secret = 'arn:aws:ssm:eu-west-1:123456789012:parameter/token';
  expect(() =>
    configOf({ allowedTargets: many, allowedSecrets: [secret], httpAllowedRanges: '10.0.0.0/8' }),
  ).toThrow(
    /^punctual:allowedTargets is \[.*\]; it must have at most 2800 bytes together with allowedSecrets and httpAllowedRanges, since Lambda's environment has 4 KB; they have 2819\. Wildcards make it shorter\.$/,
  );
});

test('an address for alarms that do not exist is refused', () => {
  expect(() => configOf({ monitoring: false, alarmEmail: 'ops@example.com' })).toThrow(
    'punctual:alarmEmail is "ops@example.com"; it cannot be set without monitoring, which has the alarms.',
  );
});
