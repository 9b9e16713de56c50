import type { Calendar } from '../../core/calendar.ts';
import { PunctualError } from '../../core/errors.ts';
import { etagOf } from '../change/precondition.ts';

/** RFC 9110, If-Match, as for schedules. */
export function assertCalendarMatch(ifMatch: string | undefined, calendar: Calendar | undefined): void {
  if (ifMatch === undefined) return;
  const wanted = ifMatch.split(',').map((tag) => tag.trim());
  if (calendar && (wanted.includes('*') || wanted.includes(etagOf(calendar)))) return;
  const stands = calendar ? `is at ${etagOf(calendar)}` : 'does not exist';
  throw new PunctualError('calendar.stale', `The calendar ${stands}. Read it again and repeat the change.`, {
    field: 'If-Match',
    value: ifMatch,
  });
}
