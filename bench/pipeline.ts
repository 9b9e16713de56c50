import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { startReceiver } from '../test/support/engine-receiver.ts';
import { startEmbeddedRun } from '../test/support/engine-run.ts';
import { burst } from './pipeline-burst.ts';
import { everySecond } from './pipeline-every-second.ts';
import { fairness } from './pipeline-fairness.ts';
import { measureFloors } from './pipeline-floors.ts';
import { limits } from './pipeline-limits.ts';
import { ms } from './pipeline-stats.ts';

interface Options {
  readonly parts: readonly string[];
  readonly seconds: string;
  readonly jobs: string;
  readonly overlap?: string;
  readonly disk?: true;
  readonly logs?: true;
}

const { parts, seconds, jobs, overlap, disk, logs } = new Command('pipeline')
  .description(
    'Measures the embedded run, as it is started by npm start, against the floors of this machine.',
  )
  .addOption(
    new Option('--parts <parts...>', 'what to measure')
      .choices(['every-second', 'burst', 'fairness', 'limits'])
      .default(['every-second', 'burst']),
  )
  .option('--seconds <n>', 'length of the every-second part', '60')
  .option('--jobs <n>', 'one-shots in the burst and in the flood', '2000')
  .option('--overlap <policy>', 'overlap policy of all schedules, instead of the default')
  .option('--disk', 'with data on disk instead of in memory')
  .option(
    '--logs',
    'with the logs of the functions, to see in the burst that nothing is handed over again; slower',
  )
  .parse()
  .opts<Options>();

const receiver = await startReceiver();
const floors = await measureFloors(receiver);
console.log(
  `Floors: ${floors.writesPerSecond.toFixed(0)} engine writes/s, loopback round trip ${ms(floors.roundTripMs)}`,
);

const directory = disk ? mkdtempSync(join(tmpdir(), 'punctual-bench-')) : undefined;
if (logs) process.env.POWERTOOLS_LOG_LEVEL = 'INFO';
const host = await startEmbeddedRun(directory === undefined ? ['--memory'] : ['--data', directory]);
console.log(`/health answered ${ms(host.startedInMs)} after the start of the process`);

const bench = { apiUrl: host.apiUrl, receiver, floors, policy: overlap === undefined ? {} : { overlap } };
const checks = [];
try {
  if (parts.includes('every-second'))
    checks.push(...(await everySecond({ ...bench, seconds: Number(seconds) })));
  if (parts.includes('burst'))
    checks.push(...(await burst({ ...bench, jobs: Number(jobs), output: logs && host.output })));
  if (parts.includes('fairness')) checks.push(...(await fairness({ ...bench, jobs: Number(jobs) })));
  if (parts.includes('limits')) checks.push(...(await limits(bench)));
} finally {
  await host.interrupt();
  await receiver.close();
  if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
}
process.exitCode = checks.every(({ holds }) => holds) ? 0 : 1;
