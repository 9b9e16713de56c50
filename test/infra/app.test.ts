import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { contextOf, ROOT } from './support/synth.ts';

/** As the API documents it, in bytes: what is loaded at a cold start. Source maps are read when something throws. */
const LARGEST_BUNDLE = 1_000_000;

/** The app as the CDK command runs it: bundling, cdk-nag and CloudFormation's own rules included. */
let out: string;
let template: { Resources: Record<string, { Type: string; Properties: Record<string, unknown> }> };

beforeAll(() => {
  out = mkdtempSync(join(tmpdir(), 'punctual-synth-'));
  execFileSync(process.execPath, ['bin/app.ts'], {
    cwd: ROOT,
    // Neither account nor Region nor credentials.
    env: { PATH: process.env.PATH, CDK_OUTDIR: out, CDK_CONTEXT_JSON: JSON.stringify(contextOf()) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  template = JSON.parse(readFileSync(join(out, 'Punctual.template.json'), 'utf8'));
}, 120_000);

afterAll(() => rmSync(out, { recursive: true, force: true }));

test('the app synthesises one stack, bound to no account and no Region', () => {
  const { artifacts } = JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8'));
  expect(artifacts.Punctual.environment).toBe('aws://unknown-account/unknown-region');
});

test('a setting that is wrong stops the app with its sentence', () => {
  const context = JSON.stringify(contextOf({ shardCount: 0 }));
  const run = () =>
    execFileSync(process.execPath, ['bin/app.ts'], {
      cwd: ROOT,
      env: { PATH: process.env.PATH, CDK_OUTDIR: out, CDK_CONTEXT_JSON: context },
      stdio: 'pipe',
    });
  expect(run).toThrow('punctual:shardCount is 0; it must be a whole number from 1 to 256.');
});

describe.each(['Tick', 'Relay', 'Worker', 'Sweep', 'Api'])('the bundle of %s', (name) => {
  function bundle() {
    const [, lambda] =
      Object.entries(template.Resources).find(
        ([id, { Type }]) => Type === 'AWS::Lambda::Function' && id.startsWith(`${name}Function`),
      ) ?? [];
    if (lambda === undefined) throw new Error(`No function is called ${name}`);
    const { S3Key } = lambda.Properties.Code as { S3Key: string };
    const { Variables } = lambda.Properties.Environment as { Variables: Record<string, unknown> };
    const environment = Object.entries(Variables).map(([key, value]) => [
      key,
      typeof value === 'string' ? value : 'https://known.when/deployed',
    ]);
    return {
      file: join(out, `asset.${S3Key.replace('.zip', '')}`, 'index.mjs'),
      environment: Object.fromEntries(environment),
    };
  }

  test('is at most a megabyte, with its source map beside it', () => {
    const { file } = bundle();
    expect(statSync(file).size).toBeLessThanOrEqual(LARGEST_BUNDLE);
    expect(existsSync(`${file}.map`)).toBe(true);
  });

  test('is loaded by plain Node with the environment of the template, and exports its handler', () => {
    const { file, environment } = bundle();
    const script = `console.log(typeof (await import(${JSON.stringify(file)})).handler)`;
    const printed = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
      env: { ...environment, AWS_REGION: 'eu-west-1' },
      encoding: 'utf8',
    });
    expect(printed.trim()).toBe('function');
  });

  test('needs nothing that an ES module does not have', () => {
    expect(readFileSync(bundle().file, 'utf8')).not.toContain('Dynamic require of');
  });
});
