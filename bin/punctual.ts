#!/usr/bin/env node
import { Command } from 'commander';
import { isPunctualError, type PunctualError } from '../lambdas/core/errors.ts';
import { DEFAULT_PREVIEW } from '../lambdas/core/recurrence/index.ts';
import { epochMs } from '../lambdas/core/time.ts';
import { type PlanFlags, planned, planText } from './plan.ts';
import { readZones, zonesText } from './zones.ts';

/** The command's way of saying that the input was refused. */
const REFUSED = 2;

const program = new Command('punctual')
  .description('Punctual, a cron and job scheduler for AWS.')
  .showHelpAfterError('Add --help to see what it takes.')
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : REFUSED));

program
  .command('plan')
  .description('Print when an expression fires, offline, with the planner that runs in production.')
  .argument(
    '<expressions...>',
    'cron, "every PT15M", rate(...), at(...), quartz(...) or an RRULE; several are united',
  )
  .option('--tz, --timezone <zone>', 'IANA name or offset', 'UTC')
  .option(
    '--from <time>',
    'fires strictly after this instant or local time, and where unanchored intervals count from (default: now)',
  )
  .option('--to <time>', 'none after this')
  .option('--count <n>', `how many at most (default: ${DEFAULT_PREVIEW}, or all up to --to)`)
  .option('--gap <policy>', 'skipped local times: run-after, shift or skip')
  .option('--overlap <policy>', 'repeated local times: first, second or both')
  .option('--day-rule <rule>', 'when a crontab sets both day fields: or, either matches; and, both do')
  .option(
    '--exclude <text>',
    'a date, a range or an expression that does not fire; may be repeated',
    collect,
    [],
  )
  .option(
    '--calendar <file>',
    'a calendar whose closed days do not fire: JSON as in PUT /calendars; may be repeated',
    collect,
    [],
  )
  .option('--on-excluded <policy>', 'on closed days: skip, next-business-day or previous-business-day')
  .option('--start-at <time>', 'the first time that may fire')
  .option('--end-at <time>', 'the last time that may fire')
  .option('--window <duration>', 'spread starts over this, such as PT5M')
  .option('--id <group/name>', 'the schedule id that H and the window are hashed from', 'default/plan')
  .option('--previous', 'the latest before --from instead, going back')
  .option('--json', 'print JSON')
  .action(plan);

program
  .command('zones')
  .description('Report the schedules of a deployment whose next time new zone data moves.')
  .requiredOption(
    '--api <url>',
    'where the API is; in AWS it is called with the credentials in the environment',
  )
  .option('--json', 'print JSON')
  .action(zones);

async function zones({ api, json }: { readonly api: string; readonly json?: boolean }): Promise<void> {
  try {
    const report = await readZones(api);
    process.stdout.write(json ? `${JSON.stringify(report, null, 2)}\n` : zonesText(report));
  } catch (error) {
    process.stderr.write(`error: ${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}

function plan(expressions: readonly string[], flags: PlanFlags): void {
  try {
    const result = planned(expressions, flags, epochMs(Date.now()));
    process.stdout.write(flags.json ? `${JSON.stringify(result, null, 2)}\n` : planText(result, flags));
  } catch (error) {
    if (!isPunctualError(error)) throw error;
    refuse(error, flags.json === true);
  }
}

function refuse({ code, field, message }: PunctualError, json: boolean): void {
  const text = json ? JSON.stringify({ error: { code, field, message } }) : `${field ?? 'error'}: ${message}`;
  (json ? process.stdout : process.stderr).write(`${text}\n`);
  process.exitCode = REFUSED;
}

function collect(text: string, before: readonly string[]): string[] {
  return [...before, text];
}

await program.parseAsync();
