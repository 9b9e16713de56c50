import { type Compiled, compileCached, type RecurrenceSpec } from '../recurrence/index.ts';
import { timesOf } from './definition.ts';
import type { PlannedTimes, ScheduleHead } from './head.ts';

/** The compiled recurrence of a schedule, seeded by its id and anchored at its creation. */
export function headRecurrence({
  policy,
  id,
  anchor,
}: Pick<ScheduleHead, 'id' | 'anchor'> & { readonly policy: PlannedTimes }): Compiled {
  const pins = policy.calendars ?? [];
  const calendars = new Map(pins.flatMap(({ name, definition }) => (definition ? [[name, definition]] : [])));
  return compileCached(specOf(policy), { seed: id, anchor, ...(pins.length > 0 && { calendars }) });
}

/** What a policy says about time, as the recurrence engine reads it. */
export function specOf({ calendars, ...policy }: PlannedTimes): RecurrenceSpec {
  return timesOf({ ...policy, ...(calendars && { calendars: calendars.map(({ name }) => name) }) });
}
