import * as z from 'zod';
import { nameSchema } from '../../core/targets/aws/name-schema.ts';
import { cursorField, pageQuery, readOnlyFields, timestampSchema } from '../request/common-schema.ts';
import { API_LIMITS } from '../request/limits.ts';

export const calendarParams = z.object({ name: nameSchema });

const calendarFields = {
  dates: z
    .array(z.string().max(64))
    .max(API_LIMITS.calendarDates)
    .default([])
    .meta({
      description: 'Closed dates and ranges of dates, both ends included.',
      examples: [['2026-12-25', '2026-12-24/2027-01-01']],
    }),
  closedWeekdays: z
    .array(z.enum(['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN']))
    .max(6)
    .default([])
    .meta({ description: 'Days of the week that are always closed.' }),
  timezone: z.string().max(64).optional().meta({
    format: 'iana-time-zone',
    description: 'Whose days they are; those of each schedule when absent.',
  }),
};

export const calendarBody = z
  .strictObject({
    ...calendarFields,
    ...readOnlyFields(['name', 'version', 'updatedAt', 'updatedBy', 'schedules']),
  })
  .meta({
    id: 'CalendarContent',
    examples: [{ dates: ['2026-12-25', '2026-12-31/2027-01-01'], closedWeekdays: ['SAT', 'SUN'] }],
  });

const aboutFields = {
  name: z.string(),
  version: z.int().meta({ description: 'The ETag; +1 on each edit.' }),
  updatedAt: timestampSchema,
  updatedBy: z.string(),
};

export const calendarView = z.object({ ...aboutFields, ...calendarFields }).meta({ id: 'Calendar' });

const usersField = z
  .int()
  .meta({ description: 'Schedules that use it. Those behind are still at an older version of it.' });

/** With what an edit came to for the schedules that use it. */
export const calendarUseView = calendarView
  .extend({
    schedules: z.object({
      using: usersField,
      behind: z.array(
        z.object({
          group: z.string(),
          name: z.string(),
          code: z
            .string()
            .optional()
            .meta({ description: 'Why it could not be moved on; absent: not come to yet.' }),
          message: z.string().optional(),
        }),
      ),
      behindCount: z.int().meta({ description: 'Of which `behind` names the first 20.' }),
    }),
  })
  .meta({ id: 'CalendarInUse' });

export const calendarList = z
  .object({ items: z.array(calendarView), cursor: cursorField })
  .meta({ id: 'Calendars' });

export const listCalendarsQuery = z.strictObject({ ...pageQuery });

export type CalendarBody = z.output<typeof calendarBody>;
export type CalendarView = z.output<typeof calendarView>;
export type CalendarUseView = z.output<typeof calendarUseView>;
