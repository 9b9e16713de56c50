import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { interrupted } from './support/interruption.ts';
import { troubles } from './support/logs.ts';
import { openPlace } from './support/place.ts';
import { CannotStart } from './support/problem.ts';
import { createReport } from './support/report.ts';
import { ROOT } from './support/root.ts';
import { tell } from './tell.ts';

const { aws = false, junit } = new Command('test:e2e')
  .description(
    'Deploys the stack to an emulator of AWS and uses it as deployed. AWS_ENDPOINT_URL names a running emulator; without it one is installed and started (this needs Python 3).',
  )
  .option('--aws', 'deploy to the AWS account and Region of the environment instead')
  .option('--junit <file>', 'write what came of each step to a file that CI can read')
  .parse()
  .opts<{ readonly aws?: true; readonly junit?: string }>();

/** What the last run left to read. */
const LAST_RUN = join(ROOT, '.cache/e2e');
const EMULATOR_LOG = join(LAST_RUN, 'emulator.log');
rmSync(LAST_RUN, { recursive: true, force: true });
mkdirSync(LAST_RUN, { recursive: true });

/** As shells have it. */
const INTERRUPTED = 130;

const report = createReport((text) => process.stdout.write(`${text}\n`));
try {
  const place = await openPlace(aws, { env: process.env, log: EMULATOR_LOG });
  try {
    await tell(place, report, LAST_RUN);
  } finally {
    await place.close();
  }
  process.stdout.write(`${report.summary()}\n`);
  if (junit !== undefined) writeFileSync(junit, report.junit());
  if (report.failed()) {
    for (const line of troubles(EMULATOR_LOG)) process.stdout.write(`  ${line}\n`);
    process.stdout.write(`All that was printed and logged is in ${LAST_RUN}.\n`);
  }
  if (interrupted.aborted) process.exitCode = INTERRUPTED;
  else process.exitCode = report.failed() ? 1 : 0;
} catch (error) {
  if (!(error instanceof CannotStart)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = error.exitCode;
}
