import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export interface RunningHost {
  readonly apiUrl: string;
  /** Milliseconds from the start of the process until `/health` answered. */
  readonly startedInMs: number;
  stop(): Promise<void>;
}

/** The embedded run as a person starts it, in a process of its own. */
export async function startHostProcess(args: readonly string[]): Promise<RunningHost> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, ['local/main.ts', '--port', '0', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface(child.stdout);
  const apiUrl = await new Promise<string>((resolve, reject) => {
    lines.on('line', (line) => {
      const url = /^ {2}API {2}(\S+)$/.exec(line)?.[1];
      if (url !== undefined) resolve(url);
    });
    child.once('exit', (code) => reject(new Error(`The embedded run ended with code ${code}.`)));
  });
  const health = await fetch(`${apiUrl}/health`);
  if (!health.ok) throw new Error(`/health answered ${health.status}.`);
  return {
    apiUrl,
    startedInMs: performance.now() - startedAt,
    async stop() {
      if (child.exitCode !== null) return;
      child.kill('SIGINT');
      await once(child, 'exit');
    },
  };
}
