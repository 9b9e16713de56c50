import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runSuites, type Suite } from './run.ts';

/**
 * `.ci/run`: every suite. The last line says how many tests passed and failed in all of them; the exit code is 1 if
 * one failed.
 */
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const SUITES: readonly Suite[] = [
  npm('vitest', (report) => [
    'test',
    '--',
    '--reporter=default',
    '--reporter=junit',
    `--outputFile.junit=${report}`,
  ]),
  npm('schemathesis', (report) => [
    'run',
    'test:api',
    '--',
    '--report',
    'junit',
    '--report-junit-path',
    report,
  ]),
  npm('e2e', (report) => ['run', 'test:e2e', '--', '--junit', report]),
];

function npm(name: string, args: Suite['args']): Suite {
  return { name, command: 'npm', args: (report) => ['--prefix', ROOT, ...args(report)] };
}

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());

const { failed } = await runSuites(SUITES, {
  reports: join(ROOT, '.cache/suites'),
  stop: stop.signal,
  write: (line) => process.stdout.write(`${line}\n`),
});
process.exitCode = failed > 0 ? 1 : 0;
