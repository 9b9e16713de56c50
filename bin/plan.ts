import { readFileSync } from 'node:fs';
import { parse } from 'node:path';
import { calendarBody } from '../lambdas/api/calendars/calendar-schema.ts';
import { PunctualError } from '../lambdas/core/errors.ts';
import {
  type CalendarDefinition,
  compile,
  type DstPolicy,
  momentOf,
  type Preview,
  preview,
  type RecurrenceSpec,
} from '../lambdas/core/recurrence/index.ts';
import type { EpochMs } from '../lambdas/core/time.ts';

export interface PlanFlags {
  readonly timezone: string;
  readonly from?: string;
  readonly to?: string;
  readonly count?: string;
  readonly gap?: string;
  readonly overlap?: string;
  readonly dayRule?: string;
  readonly exclude: readonly string[];
  /** Files. */
  readonly calendar: readonly string[];
  readonly onExcluded?: string;
  readonly startAt?: string;
  readonly endAt?: string;
  readonly window?: string;
  readonly id: string;
  readonly previous?: boolean;
  readonly json?: boolean;
}

/** What `punctual plan` answers; throws PunctualError naming the field, as the API does. */
export function planned(expressions: readonly string[], flags: PlanFlags, now: EpochMs): Preview {
  const { timezone } = flags;
  const from = flags.from === undefined ? now : momentOf('from', flags.from, timezone);
  const to = flags.to === undefined ? undefined : momentOf('to', flags.to, timezone);
  const calendars = new Map(flags.calendar.map(readCalendar));
  const spec = specOf(expressions, [...calendars.keys()], flags);
  return preview(compile(spec, { seed: flags.id, anchor: from, calendars }), {
    from,
    now,
    seed: flags.id,
    previous: flags.previous === true,
    ...(to !== undefined && { to }),
    ...(flags.count !== undefined && { count: wholeNumber(flags.count) }),
  });
}

// The compiler checks the policies, and names the ones that there are.
function specOf(expressions: readonly string[], calendars: readonly string[], flags: PlanFlags) {
  const { timezone, gap, overlap, dayRule, exclude, onExcluded, startAt, endAt, window } = flags;
  const [first = '', ...others] = expressions;
  return {
    expression: others.length === 0 ? first : expressions,
    timezone,
    dst: {
      ...(gap !== undefined && { gap }),
      ...(overlap !== undefined && { overlap }),
    } as Partial<DstPolicy>,
    ...(dayRule !== undefined && { dayRule: dayRule as RecurrenceSpec['dayRule'] & string }),
    exclude,
    calendars,
    ...(onExcluded !== undefined && { onExcluded: onExcluded as RecurrenceSpec['onExcluded'] & string }),
    ...(startAt !== undefined && { startAt }),
    ...(endAt !== undefined && { endAt }),
    ...(window !== undefined && { window }),
  } satisfies RecurrenceSpec;
}

/** The calendar that a file holds, under the file's name without its ending. */
function readCalendar(path: string): [string, CalendarDefinition] {
  const refused = (message: string) =>
    new PunctualError('expression.invalid', message, { field: 'calendar', value: path });
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw refused(`${path} cannot be read as JSON: ${(error as Error).message}.`);
  }
  const calendar = calendarBody.safeParse(content);
  if (calendar.success) {
    const { dates, closedWeekdays, timezone } = calendar.data;
    return [parse(path).name, { dates, closedWeekdays, ...(timezone !== undefined && { timezone }) }];
  }
  const [issue] = calendar.error.issues;
  throw refused(`${path} is not a calendar: ${issue?.path.join('.')} ${issue?.message}`);
}

export function planText({ items, warnings, recurrence }: Preview, { timezone }: PlanFlags): string {
  const rows = items.map(({ scheduledTime, local, notes }) =>
    `${scheduledTime}  ${local.padEnd(25)}${notes.map(({ message }) => `  ${message}`).join('')}`.trimEnd(),
  );
  const head = `${'UTC'.padEnd(26)}${timezone}`;
  const cautions = warnings.map(({ message }) => `Warning: ${message}`);
  return `${[recurrence, '', head, ...(rows.length > 0 ? rows : ['(none)']), ...(cautions.length > 0 ? ['', ...cautions] : [])].join('\n')}\n`;
}

/** NaN, which the planner refuses, for anything else. */
function wholeNumber(text: string): number {
  return /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
}
