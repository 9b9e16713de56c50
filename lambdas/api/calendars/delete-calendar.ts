import { PunctualError } from '../../core/errors.ts';
import type { ScheduleId } from '../../core/ids.ts';
import type { ApiDeps, Caller } from '../deps.ts';
import { assertIfMatch } from '../http/precondition.ts';
import { assertCalendar } from './read-calendar.ts';

/** Schedules that a refusal names. */
const MAX_NAMED = 5;

/** Refused while a schedule uses it; deleted ones do not. */
export async function deleteCalendar(
  { calendars }: Pick<ApiDeps, 'calendars'>,
  {
    name,
    ifMatch,
    caller,
  }: { readonly name: string; readonly ifMatch?: string | undefined; readonly caller: Caller },
): Promise<void> {
  const calendar = assertCalendar(await calendars.readCalendar(name), name);
  assertIfMatch(ifMatch, calendar, 'calendar');
  assertUnused(name, await someUsers(calendars, name));
  if ((await calendars.deleteCalendar(calendar, caller.now)) === 'conflict') {
    throw new PunctualError('calendar.busy', `${name} was changed while this was tried; try again.`);
  }
  // A schedule may have begun to use it between the look and the delete; from the delete on none can.
  const late = await someUsers(calendars, name);
  if (late.length > 0) await calendars.restoreCalendar(calendar);
  assertUnused(name, late);
}

async function someUsers(calendars: ApiDeps['calendars'], name: string): Promise<ScheduleId[]> {
  const found: ScheduleId[] = [];
  for await (const users of calendars.usersOf(name)) {
    found.push(...users.map(({ schedule }) => schedule));
    if (found.length > MAX_NAMED) break;
  }
  return found;
}

function assertUnused(name: string, users: readonly ScheduleId[]): void {
  if (users.length === 0) return;
  const named = users.slice(0, MAX_NAMED).join(', ');
  const more = users.length > MAX_NAMED ? ' and others' : '';
  throw new PunctualError(
    'calendar.in-use',
    `The calendar ${name} is used by ${named}${more}. Take it off them first.`,
    { value: name },
  );
}
