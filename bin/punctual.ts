#!/usr/bin/env node
import { Command } from 'commander';
import { isPunctualError, type PunctualError } from '../lambdas/core/errors.ts';
import {
  compile,
  DEFAULT_PREVIEW,
  type DstPolicy,
  momentOf,
  type Preview,
  preview,
  type RecurrenceSpec,
} from '../lambdas/core/recurrence/index.ts';
import { epochMs } from '../lambdas/core/time.ts';
import { readZones, zonesText } from './zones.ts';

interface PlanFlags {
  readonly timezone: string;
  readonly from?: string;
  readonly to?: string;
  readonly count?: string;
  readonly gap?: string;
  readonly overlap?: string;
  readonly exclude: readonly string[];
  readonly window?: string;
  readonly id: string;
  readonly previous?: boolean;
  readonly json?: boolean;
}

/** The command's way of saying that the input was refused. */
const REFUSED = 2;

const program = new Command('punctual')
  .description('Punctual, a cron and job scheduler for AWS.')
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : REFUSED));

program
  .command('plan')
  .description('Print when an expression fires, offline, with the planner that runs in production.')
  .argument('<expression>', 'cron, "every PT15M", rate(...), at(...), quartz(...) or an RRULE')
  .option('--timezone <zone>', 'IANA name or offset', 'UTC')
  .option(
    '--from <time>',
    'fires strictly after this instant or local time, and where unanchored intervals count from (default: now)',
  )
  .option('--to <time>', 'none after this')
  .option('--count <n>', `how many at most (default: ${DEFAULT_PREVIEW}, or all up to --to)`)
  .option('--gap <policy>', 'skipped local times: run-after, shift or skip')
  .option('--overlap <policy>', 'repeated local times: first, second or both')
  .option(
    '--exclude <text>',
    'a date, a range or an expression that does not fire; may be repeated',
    collect,
    [],
  )
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

function plan(expression: string, flags: PlanFlags): void {
  try {
    const now = epochMs(Date.now());
    const { timezone } = flags;
    const from = flags.from === undefined ? now : momentOf('from', flags.from, timezone);
    const to = flags.to === undefined ? undefined : momentOf('to', flags.to, timezone);
    const compiled = compile(specOf(expression, flags), { seed: flags.id, anchor: from });
    const result = preview(compiled, {
      from,
      now,
      seed: flags.id,
      previous: flags.previous === true,
      ...(to !== undefined && { to }),
      ...(flags.count !== undefined && { count: wholeNumber(flags.count) }),
    });
    process.stdout.write(flags.json ? `${JSON.stringify(result, null, 2)}\n` : humanText(result, flags));
  } catch (error) {
    if (!isPunctualError(error)) throw error;
    refuse(error, flags.json === true);
  }
}

function specOf(expression: string, flags: PlanFlags): RecurrenceSpec {
  const { timezone, gap, overlap, exclude, window } = flags;
  // The compiler checks the policies, and names the ones that there are.
  const dst = {
    ...(gap !== undefined && { gap }),
    ...(overlap !== undefined && { overlap }),
  } as Partial<DstPolicy>;
  return { expression, timezone, dst, exclude, ...(window !== undefined && { window }) };
}

function humanText({ fires, warnings, description }: Preview, { timezone }: PlanFlags): string {
  const rows = fires.map(({ scheduledTime, local, notes }) =>
    `${scheduledTime}  ${local.padEnd(25)}${notes.map(({ message }) => `  ${message}`).join('')}`.trimEnd(),
  );
  const head = `${'UTC'.padEnd(26)}${timezone}`;
  const cautions = warnings.map(({ message }) => `Warning: ${message}`);
  return `${[description, '', head, ...(rows.length > 0 ? rows : ['(none)']), ...(cautions.length > 0 ? ['', ...cautions] : [])].join('\n')}\n`;
}

function refuse({ code, field, message }: PunctualError, json: boolean): void {
  const text = json ? JSON.stringify({ error: { code, field, message } }) : `${field ?? 'error'}: ${message}`;
  (json ? process.stdout : process.stderr).write(`${text}\n`);
  process.exitCode = REFUSED;
}

/** NaN, which the planner refuses, for anything else. */
function wholeNumber(text: string): number {
  return /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
}

function collect(text: string, before: readonly string[]): string[] {
  return [...before, text];
}

await program.parseAsync();
