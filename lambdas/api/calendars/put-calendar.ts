import { PunctualError } from '../../core/errors.ts';
import type { ScheduleId } from '../../core/ids.ts';
import { type CalendarDefinition, checkCalendar } from '../../core/recurrence/index.ts';
import type { Calendar } from '../../core/schedule/calendar.ts';
import type { ApiDeps, Caller } from '../deps.ts';
import { assertIfMatch } from '../http/precondition.ts';
import { canonicalJson } from '../request/canonical-json.ts';
import type { CalendarBody } from './calendar-schema.ts';
import { moveUsers } from './move-users.ts';
import { usesOf } from './read-calendar.ts';

export interface PutCalendarRequest {
  readonly name: string;
  readonly body: CalendarBody;
  readonly ifMatch?: string | undefined;
  readonly caller: Caller;
}

export interface PutCalendar {
  readonly calendar: Calendar;
  readonly created: boolean;
  readonly using: number;
  /** Schedules that could not be moved to it, with the reason, and those that time ran out for. */
  readonly behind: readonly { readonly schedule: ScheduleId; readonly error?: PunctualError }[];
}

/**
 * Makes the next version of a calendar and moves each schedule that uses it there: as an edit of the schedule does,
 * so that it is in force at once, for what is planned already too. The same content again makes no version and
 * moves those that are behind, so that a request whose answer was lost, or whose time ran out, is sent again.
 */
export async function putCalendar(deps: ApiDeps, request: PutCalendarRequest): Promise<PutCalendar> {
  const { name, body, caller } = request;
  const definition = definitionOf(body);
  checkCalendar(definition);
  const seen = await deps.calendars.readCalendar(name);
  assertIfMatch(request.ifMatch, seen, 'calendar');
  const isSame = seen !== undefined && canonicalJson(seen.definition) === canonicalJson(definition);
  const calendar = isSame ? seen : await write(deps, request, definition, seen);
  const { using, behind } = await usesOf(deps.calendars, calendar);
  const left = await moveUsers(
    deps,
    behind.map(({ schedule }) => schedule),
    caller,
  );
  return { calendar, created: seen === undefined, using, behind: left };
}

async function write(
  deps: Pick<ApiDeps, 'calendars'>,
  { name, caller }: PutCalendarRequest,
  definition: CalendarDefinition,
  seen: Calendar | undefined,
): Promise<Calendar> {
  const next = { name, definition, updatedAt: caller.now, updatedBy: caller.principal };
  const result = await deps.calendars.writeCalendar(next, seen);
  if (result.kind === 'written') return result.calendar;
  throw new PunctualError(
    'calendar.busy',
    `${name} was changed while this was tried; read it and try again.`,
  );
}

function definitionOf({ dates, closedWeekdays, timezone }: CalendarBody): CalendarDefinition {
  return { dates, closedWeekdays, ...(timezone !== undefined && { timezone }) };
}
