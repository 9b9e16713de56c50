import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { App, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { AwsSolutionsChecks } from 'cdk-nag';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CONFIG_KEYS, parseConfig } from '../../lib/config.ts';
import { Punctual, type PunctualProps } from '../../lib/index.ts';
import { contextOf, propertiesOf, ROOT, resourcesOf, templateOf, textOf } from './support/synth.ts';

const WITHOUT_BUNDLES = { ...contextOf(), 'aws:cdk:bundling-stacks': [] };

function foreignStack(id = 'Platform', app = foreignApp()): Stack {
  return new Stack(app, id);
}

function foreignApp(): App {
  return new App({ context: WITHOUT_BUNDLES, builtinCloudFormationValidation: false });
}

function typesOf(template: Template): string[] {
  const resources = Object.values(template.toJSON().Resources) as { Type: string }[];
  return resources.map(({ Type }) => Type).toSorted();
}

function namesIn(template: Template): string[] {
  const named = [
    ['AWS::CloudWatch::Alarm', 'AlarmName'],
    ['AWS::CloudWatch::CompositeAlarm', 'AlarmName'],
    ['AWS::CloudWatch::Dashboard', 'DashboardName'],
    ['AWS::ApiGatewayV2::Api', 'Name'],
  ] as const;
  return named.flatMap(([type, key]) =>
    Object.values(template.findResources(type)).map(({ Properties }) => `${type} ${Properties[key]}`),
  );
}

describe('inside the stack of somebody else', () => {
  test('it makes what the deployed stack has', () => {
    const stack = foreignStack();
    new Punctual(stack, 'Scheduler');
    expect(typesOf(Template.fromStack(stack))).toEqual(typesOf(templateOf()));
  });

  test('AwsSolutions has nothing to say', () => {
    const stack = foreignStack();
    new Punctual(stack, 'Scheduler', { alarmEmail: 'ops@example.com' });
    expect(new AwsSolutionsChecks().validateScope(stack).violations).toEqual([]);
  });

  test('two of them in one stack, and a third in another, share no name', () => {
    const app = foreignApp();
    const stacks = [foreignStack('Platform', app), foreignStack('Reports', app)] as const;
    new Punctual(stacks[0], 'Scheduler');
    new Punctual(stacks[0], 'Batch');
    new Punctual(stacks[1], 'Scheduler');
    const names = stacks.flatMap((stack) => namesIn(Template.fromStack(stack)));
    expect(names.length).toBeGreaterThan(30);
    expect(new Set(names).size).toBe(names.length);
    const services = stacks.flatMap((stack) =>
      Object.values(resourcesOf(Template.fromStack(stack), 'AWS::Lambda::Function')).map(
        ({ Properties }) =>
          (Properties.Environment as { Variables: Record<string, string> }).Variables.POWERTOOLS_SERVICE_NAME,
      ),
    );
    expect(new Set(services).size).toBe(3);
  });

  test('props override the defaults', () => {
    const stack = foreignStack();
    const punctual = new Punctual(stack, 'Scheduler', {
      name: 'Night',
      shardCount: 32,
      workerMemoryMb: 2048,
      removalPolicy: RemovalPolicy.DESTROY,
      monitoring: false,
    });
    const template = Template.fromStack(stack);
    expect(punctual.alarmTopic).toBeUndefined();
    expect(template.findResources('AWS::CloudWatch::Alarm')).toEqual({});
    template.hasResourceProperties('AWS::Lambda::Function', {
      MemorySize: 2048,
      Environment: { Variables: { SHARD_COUNT: '32', POWERTOOLS_SERVICE_NAME: 'Night' } },
    });
    for (const table of Object.values(template.findResources('AWS::DynamoDB::Table')))
      expect(table.DeletionPolicy).toBe('Delete');
  });

  test.each<[PunctualProps, string]>([
    [{ shardCount: 0 }, 'shardCount is 0; it must be a whole number from 1 to 256.'],
    [
      { leadSeconds: 300, planWindowSeconds: 120 },
      'planWindowSeconds is 120; it must not be below leadSeconds',
    ],
    [{ name: 'a/b' }, 'name is "a/b"; it must begin with a letter'],
  ])('%j is refused by its name', (props, sentence) => {
    expect(() => new Punctual(foreignStack(), 'Scheduler', props)).toThrow(sentence);
  });
});

describe('grantInvokeApi', () => {
  test('lets a role call every route of this API and nothing else', () => {
    const stack = foreignStack();
    const role = new Role(stack, 'Caller', { assumedBy: new ServicePrincipal('ecs-tasks.amazonaws.com') });
    new Punctual(stack, 'Scheduler').grantInvokeApi(role);
    const policy = propertiesOf(Template.fromStack(stack), 'AWS::IAM::Policy', 'CallerDefaultPolicy');
    const { Statement } = policy.PolicyDocument as { Statement: Record<string, unknown>[] };
    expect(Statement).toHaveLength(1);
    expect(Statement[0]).toMatchObject({ Action: 'execute-api:Invoke', Effect: 'Allow' });
    expect(textOf(Statement[0]?.Resource)).toMatch(
      /^arn:<AWS::Partition>:execute-api:<AWS::Region>:<AWS::AccountId>:<SchedulerHttpApi>\/\$default\/\*\/\*$/,
    );
  });

  test('says why it cannot where the API takes tokens', () => {
    const stack = foreignStack();
    const role = new Role(stack, 'Caller', { assumedBy: new ServicePrincipal('ecs-tasks.amazonaws.com') });
    const punctual = new Punctual(stack, 'Scheduler', {
      jwtIssuer: 'https://login.example.com/',
      jwtAudience: ['punctual'],
    });
    expect(() => punctual.grantInvokeApi(role)).toThrow(
      'The API of Platform/Scheduler takes tokens of https://login.example.com/, not signed requests.',
    );
  });
});

test('a key that is made in the app lets logs and alarms use it', () => {
  const stack = foreignStack();
  new Punctual(stack, 'Scheduler', { name: 'Night', encryptionKey: new Key(stack, 'Key') });
  const key = propertiesOf(Template.fromStack(stack), 'AWS::KMS::Key', 'Key');
  const { Statement } = key.KeyPolicy as { Statement: Record<string, unknown>[] };
  const admitted = Statement.map(({ Sid, Principal }) => [Sid, (Principal as { Service?: unknown }).Service]);
  expect(admitted).toContainEqual([
    'LogsOfNight',
    { 'Fn::Join': ['', ['logs.', { Ref: 'AWS::Region' }, '.amazonaws.com']] },
  ]);
  expect(admitted).toContainEqual(['AlarmsOfNight', 'cloudwatch.amazonaws.com']);
});

describe('the documentation of its props', () => {
  const source = readFileSync(join(ROOT, 'lib/punctual-props.ts'), 'utf8');
  const documented = new Map(
    [...source.matchAll(/@default (.+)\n\s+\*\/\n\s+readonly (\w+)\?/g)].map(([, value, name]) => [
      name,
      value,
    ]),
  );

  test('covers every setting', () => {
    const settings = CONFIG_KEYS.filter((key) => key !== 'stackName' && key !== 'kmsKeyArn');
    expect([...documented.keys()].toSorted()).toEqual([...settings, 'name', 'encryptionKey'].toSorted());
  });

  test('names the defaults that hold', () => {
    const { stackName: _, workerMaxConcurrency: most, ...defaults } = parseConfig({});
    for (const [name, value] of Object.entries(defaults)) {
      if (Array.isArray(value)) continue;
      expect(documented.get(name), name).toBe(typeof value === 'string' ? `'${value}'` : String(value));
    }
    expect(documented.get('workerMaxConcurrency')).toMatch(new RegExp(`^${most},`));
  });
});

describe('the example of docs/deploy.md', () => {
  let folder: string;
  beforeAll(() => {
    // Inside the project, so that it imports the package by its name as an app with a workspace does.
    mkdirSync(join(ROOT, 'cdk.out'), { recursive: true });
    folder = mkdtempSync(join(ROOT, 'cdk.out/example-'));
    const page = readFileSync(join(ROOT, 'docs/deploy.md'), 'utf8');
    const [, code] = /## Inside your own stack[\s\S]*?```ts\n([\s\S]*?)```/.exec(page) ?? [];
    if (code === undefined) throw new Error('docs/deploy.md has no example.');
    writeFileSync(join(folder, 'app.ts'), code);
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ extends: '../../tsconfig.json', include: ['app.ts'] }),
    );
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('compiles and synthesises', () => {
    execFileSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', folder], { stdio: 'pipe' });
    const out = join(folder, 'out');
    execFileSync(process.execPath, [join(folder, 'app.ts')], {
      stdio: 'pipe',
      env: {
        PATH: process.env.PATH,
        CDK_OUTDIR: out,
        CDK_CONTEXT_JSON: JSON.stringify(WITHOUT_BUNDLES),
      },
    });
    const template = JSON.parse(readFileSync(join(out, 'Platform.template.json'), 'utf8'));
    const types = Object.values(template.Resources as Record<string, { Type: string }>).map(
      ({ Type }) => Type,
    );
    expect(types).toContain('AWS::DynamoDB::Table');
    expect(types.filter((type) => type === 'AWS::SNS::Subscription')).toHaveLength(1);
  }, 60_000);
});
