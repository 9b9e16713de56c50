import { createWriteStream, existsSync, readFileSync } from 'node:fs';
import { delimiter, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Child, spawnBound } from '../../../local/engine/child.ts';
import { freePort, LOOPBACK } from '../../../local/engine/ports.ts';
import { temporaryDirectory } from '../../../local/engine/temporary.ts';
import { NoPython, type PythonTools, pythonTools, SKIPPED } from '../../support/python.ts';
import type { Environment } from './command.ts';
import { CannotStart } from './problem.ts';
import { until } from './until.ts';

/** An emulator of AWS in Python; the version that this test was written on. */
const REQUIREMENTS = fileURLToPath(new URL('../requirements.txt', import.meta.url));

const START_WITHIN_MS = 60_000;
const ATTEMPTS = 3;

export interface MiniStack {
  readonly endpoint: URL;
  /** Ends it and all the functions that it runs. */
  stop(): Promise<void>;
}

export interface MiniStackOptions {
  /** The environment of this process without what says which AWS to talk to. */
  readonly env: Environment;
  readonly log: string;
}

/** Installs the emulator once, and starts it on a free port of this machine. */
export async function startMiniStack({ env, log }: MiniStackOptions): Promise<MiniStack> {
  const tools = await installed();
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort();
    const temporary = temporaryDirectory('punctual-e2e-');
    const child = spawnBound(tools.command('ministack'), [], temporary.path, {
      ...env,
      BIND_HOST: LOOPBACK,
      GATEWAY_PORT: String(port),
      TMPDIR: temporary.path,
      // It starts functions with the first node that it finds: this one.
      PATH: [dirname(process.execPath), env.PATH].join(delimiter),
    });
    const output = createWriteStream(log, { flags: 'a' });
    child.process.stdout.pipe(output, { end: false });
    child.process.stderr.pipe(output, { end: false });
    const endpoint = new URL(`http://${LOOPBACK}:${port}`);
    try {
      await listening(child, endpoint);
      return { endpoint, stop: () => stop(child) };
    } catch (error) {
      await stop(child);
      // Another process may have taken the port in the meantime; that is the one fault worth another try.
      if (attempt < ATTEMPTS && /address already in use/i.test(endOf(log))) continue;
      throw new CannotStart(
        `MiniStack did not start on port ${port} (${(error as Error).message}): see ${log}.`,
      );
    }
  }
}

async function installed(): Promise<PythonTools> {
  try {
    return await pythonTools(REQUIREMENTS);
  } catch (error) {
    if (error instanceof NoPython) {
      throw new CannotStart(
        `Skipped: ${error.message.replace(/\.$/, '')}, or AWS_ENDPOINT_URL set to an emulator that runs.`,
        SKIPPED,
      );
    }
    throw new CannotStart(`MiniStack could not be installed: ${lastLine(error)}`);
  }
}

/** Of what pip printed; the lines before are its tries. */
function lastLine(error: unknown): string {
  const { stderr = '' } = error as { readonly stderr?: string };
  return stderr.trim().split('\n').at(-1) || String(error);
}

function listening({ process: child }: Child, endpoint: URL): Promise<true> {
  return until('the emulator listens', START_WITHIN_MS, async () => {
    if (child.exitCode !== null) throw new Error(`it ended with code ${child.exitCode}`);
    return (await answers(endpoint)) || undefined;
  });
}

/** Whether anything speaks HTTP there. */
export async function answers(endpoint: URL): Promise<boolean> {
  const response = await fetch(endpoint, { signal: AbortSignal.timeout(5_000) }).catch(() => undefined);
  await response?.body?.cancel();
  return response !== undefined;
}

/** Functions run in the process group of the emulator, and one may not look at whether it is still there. */
async function stop(child: Child): Promise<void> {
  await child.stop();
  const group = child.process.pid;
  if (group === undefined) return;
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // Nobody is left in it.
  }
}

function endOf(log: string): string {
  return existsSync(log) ? readFileSync(log, 'utf8').slice(-2_000) : '';
}
