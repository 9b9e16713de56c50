import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../local/main.ts', import.meta.url));

export interface EmbeddedRun {
  readonly apiUrl: string;
  /** What it has printed so far. */
  readonly output: readonly string[];
  /** Milliseconds from the start of the process until `/health` answered. */
  readonly startedInMs: number;
  /** Ctrl-C; answers the exit code. */
  interrupt(): Promise<number | null>;
  /** kill -9. */
  kill(): Promise<void>;
}

/** The embedded run as a person starts it, in a process of its own, on any free port. */
export async function startEmbeddedRun(args: readonly string[]): Promise<EmbeddedRun> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [MAIN, '--port', '0', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const output: string[] = [];
  const apiUrl = await new Promise<string>((resolve, reject) => {
    const read = (line: string) => {
      output.push(line);
      const url = /(?:API +|curl -sS )(http:\/\/127\.0\.0\.1:\d+)/.exec(line)?.[1];
      if (url !== undefined) resolve(url);
    };
    createInterface(child.stdout).on('line', read);
    createInterface(child.stderr).on('line', (line) => output.push(line));
    child.once('exit', (code) => reject(new Error(`The run ended with code ${code}: ${output.join('\n')}`)));
  });
  const health = await fetch(`${apiUrl}/health`);
  if (!health.ok) throw new Error(`/health answered ${health.status}.`);
  return {
    apiUrl,
    output,
    startedInMs: performance.now() - startedAt,
    async interrupt() {
      child.kill('SIGINT');
      return (await exited)[0];
    },
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
