import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { run } from './command.ts';
import type { Place } from './place.ts';
import { ROOT } from './root.ts';

const COMMAND = createRequire(import.meta.url).resolve('aws-cdk/bin/cdk');

/** Milliseconds. On an emulator it takes tens of seconds; AWS takes minutes for the first deployment of a stack. */
const WITHIN = 15 * 60_000;

export type Outputs = Readonly<Record<string, string>>;

export interface StackSource {
  readonly name: string;
  /** Undefined: the app of cdk.json, as a person deploys it. */
  readonly app?: string;
  readonly context: Readonly<Record<string, string>>;
}

export interface Cdk {
  bootstrap(account: string): Promise<void>;
  deploy(stack: StackSource): Promise<Outputs>;
  /** Of a stack that was deployed here before. */
  destroy(name: string): Promise<void>;
}

/** The CDK command, as a person types it. */
export function createCdk({ env, region }: Pick<Place, 'env' | 'region'>, workDirectory: string): Cdk {
  const options = { env: { ...env, CDK_DISABLE_CLI_TELEMETRY: 'true', CI: 'true' }, withinMs: WITHIN };
  const within = (file: string) => join(workDirectory, file);
  const cdk = (cwd: string, log: string, ...args: readonly string[]) =>
    run(process.execPath, [COMMAND, ...args, '--no-notices'], { ...options, cwd, log: within(log) });

  return {
    async bootstrap(account) {
      // Away from the project, whose stacks it would otherwise synthesise first.
      await cdk(workDirectory, 'bootstrap.log', 'bootstrap', `aws://${account}/${region}`);
    },
    async deploy({ name, app, context }) {
      const outputs = within(`${name}.outputs.json`);
      const source = [
        ...(app === undefined ? [] : ['--app', app]),
        ...Object.entries(context).flatMap(([key, value]) => ['--context', `${key}=${value}`]),
        ...['--output', within(`${name}.out`)],
      ];
      const how = ['--require-approval', 'never', '--progress', 'events', '--outputs-file', outputs];
      await cdk(ROOT, `${name}.log`, 'deploy', name, ...source, ...how);
      return JSON.parse(readFileSync(outputs, 'utf8'))[name];
    },
    async destroy(name) {
      // What was deployed, rather than the app once more.
      await cdk(ROOT, `${name}.log`, 'destroy', name, '--app', within(`${name}.out`), '--force');
    },
  };
}
