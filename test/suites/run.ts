import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { add, type Counts, type Ended, NONE, resultOf } from './counts.ts';

export interface Suite {
  readonly name: string;
  readonly command: string;
  /** Arguments with which it runs and writes a JUnit report to this file. */
  args(report: string): readonly string[];
}

export interface RunOptions {
  /** Where reports are written; emptied first. */
  readonly reports: string;
  /** When aborted, the suite under way is asked to stop, and those after it count as failed. */
  readonly stop: AbortSignal;
  readonly write: (line: string) => void;
}

/** Runs the suites one after the other, whatever becomes of the one before, and says what came of each and of all. */
export async function runSuites(suites: readonly Suite[], options: RunOptions): Promise<Counts> {
  const { reports, stop, write } = options;
  rmSync(reports, { recursive: true, force: true });
  mkdirSync(reports, { recursive: true });
  const results: { readonly name: string; readonly counts: Counts }[] = [];
  for (const suite of suites) {
    const ended = await run(suite, join(reports, `${suite.name}.xml`), stop);
    results.push({ name: suite.name, counts: resultOf(ended) });
  }
  for (const { name, counts } of results) write(`${name}: ${sentence(counts)}`);
  const all = results.map(({ counts }) => counts).reduce(add, NONE);
  write(sentence(all));
  return all;
}

const sentence = ({ passed, failed }: Counts) => `${passed} passed, ${failed} failed`;

async function run({ command, args }: Suite, report: string, stop: AbortSignal): Promise<Ended> {
  if (stop.aborted) return { exitCode: 1, report: undefined };
  const child = spawn(command, args(report), { stdio: ['ignore', 'inherit', 'inherit'] });
  const end = () => child.kill('SIGTERM');
  stop.addEventListener('abort', end, { once: true });
  const exitCode = await once(child, 'exit').then(
    ([code]) => (typeof code === 'number' ? code : 1),
    // It could not even be started.
    () => 1,
  );
  stop.removeEventListener('abort', end);
  return { exitCode, report: existsSync(report) ? readFileSync(report, 'utf8') : undefined };
}
