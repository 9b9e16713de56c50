import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROOT, resourcesOf, templateOf } from './support/synth.ts';

/**
 * What people paste when an alarm rings. A shell runs each command of the docs, with an `aws` that writes down what it
 * is given: so quotes, substitutions and continued lines are right, and options are those of the AWS CLI's reference.
 */

interface Command {
  /** Asked for by the AWS CLI. */
  readonly needs: readonly string[];
  readonly takes?: readonly string[];
  /** Arguments without a name. */
  readonly places?: number;
}

/** AWS CLI Command Reference, version 2: of the options that there are those that are used. */
const REFERENCE: Readonly<Record<string, Command>> = {
  'cloudformation describe-stacks': { needs: [], takes: ['--stack-name'] },
  'cloudformation list-stack-resources': { needs: ['--stack-name'] },
  'cloudwatch describe-alarms': { needs: [], takes: ['--state-value', '--alarm-name-prefix'] },
  'cloudwatch set-alarm-state': { needs: ['--alarm-name', '--state-value', '--state-reason'] },
  'dynamodb delete-table': { needs: ['--table-name'] },
  'dynamodb query': {
    needs: ['--table-name'],
    takes: [
      '--key-condition-expression',
      '--expression-attribute-values',
      '--no-scan-index-forward',
      '--max-items',
    ],
  },
  'dynamodb restore-table-to-point-in-time': {
    needs: ['--target-table-name'],
    takes: ['--source-table-name', '--restore-date-time'],
  },
  'dynamodb update-continuous-backups': {
    needs: ['--table-name', '--point-in-time-recovery-specification'],
  },
  'dynamodb update-table': {
    needs: ['--table-name'],
    takes: ['--deletion-protection-enabled', '--no-deletion-protection-enabled', '--stream-specification'],
  },
  'dynamodb update-time-to-live': { needs: ['--table-name', '--time-to-live-specification'] },
  'dynamodb wait table-exists': { needs: ['--table-name'] },
  'events disable-rule': { needs: ['--name'] },
  'events list-rules': { needs: [] },
  'lambda get-account-settings': { needs: [] },
  'lambda get-function-configuration': { needs: ['--function-name'] },
  // Without the format version 2 takes the payload for base64.
  'lambda invoke': { needs: ['--function-name', '--payload', '--cli-binary-format'], places: 1 },
  'lambda list-event-source-mappings': { needs: [], takes: ['--function-name'] },
  'logs delete-log-group': { needs: ['--log-group-name'] },
  'logs tail': { needs: [], takes: ['--since'], places: 1 },
  's3 ls': { needs: [], takes: ['--recursive'], places: 1 },
  's3 rb': { needs: [], takes: ['--force'], places: 1 },
  'sqs get-queue-attributes': { needs: ['--queue-url'], takes: ['--attribute-names'] },
  'sqs receive-message': { needs: ['--queue-url'], takes: ['--message-attribute-names'] },
  // To the API the destination is optional. Without one, what a worker put there has nowhere to go.
  'sqs start-message-move-task': { needs: ['--source-arn', '--destination-arn'] },
};
const ANYWHERE = ['--query', '--output'];
const FLAGS = /^--(no-.*|recursive|force|deletion-protection-enabled)$/;

const FILES = ['docs/runbook.md', 'docs/deploy.md'];
const textOfFile = (file: string) => readFileSync(`${ROOT}${file}`, 'utf8');

/** Blocks of a file that call `aws`, and its commands within sentences, which may go on in the next line. */
function scriptsOf(file: string): string[] {
  const text = textOfFile(file);
  const blocks = [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code);
  const prose = text.replaceAll(/^```[\s\S]*?^```$/gm, '');
  const inline = [...prose.matchAll(/`(aws [^`]+)`/g)].map(([, code = '']) => code.replaceAll('\n', ' '));
  return [...blocks, ...inline].filter((code) => /\baws [a-z0-9]+ /.test(code));
}

/** The lines that a person pastes first. */
const PRELUDE = scriptsOf('docs/runbook.md').find((code) => code.startsWith('STACK=')) ?? '';

let bin: string;
beforeAll(() => {
  bin = mkdtempSync(join(tmpdir(), 'commands-'));
  const record = `printf '%s\\037' "$@" >> "$RECORD"; printf '\\036' >> "$RECORD"; echo a-name`;
  writeFileSync(join(bin, 'aws'), `#!/bin/sh\n${record}\n`, { mode: 0o755 });
  for (const name of ['npx', 'npm', 'git', 'curl'])
    writeFileSync(join(bin, name), '#!/bin/sh\nexit 0\n', { mode: 0o755 });
});
afterAll(() => rmSync(bin, { recursive: true }));

/** Every call of `aws` that a script makes. */
function callsOf(script: string): string[][] {
  const RECORD = join(bin, 'record');
  writeFileSync(RECORD, '');
  execFileSync('bash', ['-euc', `${PRELUDE}\n${script}`], {
    env: { ...process.env, PATH: `${bin}:${process.env.PATH}`, RECORD },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  return readFileSync(RECORD, 'utf8')
    .split('\x1e')
    .filter((call) => call !== '')
    .map((call) => call.split('\x1f').slice(0, -1));
}

/** The command, its options and how many arguments have no name. */
function parse(call: readonly string[]) {
  const words = call[1] === 'wait' ? 3 : 2;
  const options: string[] = [];
  let places = 0;
  for (let next = words; next < call.length; next += 1) {
    const word = call[next] ?? '';
    if (!word.startsWith('--')) places += 1;
    else {
      options.push(word);
      if (!FLAGS.test(word)) next += 1;
    }
  }
  return { name: call.slice(0, words).join(' '), options, places, isWhole: !call.includes('') };
}

describe.each(FILES)('the commands of %s', (file) => {
  test.each(scriptsOf(file))('%s', (script) => {
    const calls = callsOf(script).map(parse);
    if (script !== PRELUDE) expect(calls.length).toBeGreaterThan(0);
    for (const { name, options, places, isWhole } of calls) {
      const known = REFERENCE[name];
      expect(known, `aws ${name} is not among the commands that were looked up`).toBeDefined();
      if (!known) continue;
      expect(options, `aws ${name}`).toEqual(expect.arrayContaining([...known.needs]));
      expect([...known.needs, ...(known.takes ?? []), ...ANYWHERE]).toEqual(expect.arrayContaining(options));
      expect(places, `aws ${name}`).toBe(known.places ?? 0);
      expect(isWhole, `aws ${name} has an empty argument`).toBe(true);
    }
  });
});

test('every command that was looked up is used', () => {
  const used = FILES.flatMap(scriptsOf).flatMap((script) => callsOf(script).map((call) => parse(call).name));
  expect([...new Set(used)].toSorted()).toEqual(Object.keys(REFERENCE).toSorted());
});

test('outputs and functions that commands ask for are those of the stack', () => {
  const text = FILES.map(textOfFile).join();
  const outputs = [...text.matchAll(/\$\((?:output|queue_arn) (\w+)\)/g)].map(([, name]) => name);
  const functions = [...text.matchAll(/\$\(function_of (\w+)\)/g)].map(([, name]) => `${name}Function`);
  expect(outputs.length * functions.length).toBeGreaterThan(0);
  expect(Object.keys(templateOf().findOutputs('*'))).toEqual(expect.arrayContaining(outputs));
  expect(Object.keys(resourcesOf(templateOf(), 'AWS::Lambda::Function'))).toEqual(
    expect.arrayContaining(functions),
  );
});
