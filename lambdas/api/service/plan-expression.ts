import type * as z from 'zod';
import type { ScheduleId } from '../../core/ids.ts';
import { momentOf, preview } from '../../core/recurrence/index.ts';
import { headRecurrence } from '../../core/schedule/head-recurrence.ts';
import type { EpochMs } from '../../core/time.ts';
import type { Schedules } from '../deps.ts';
import { pinCalendars } from '../schedules/change/pin-calendars.ts';
import { recurrenceOf } from '../schedules/definition/definition.ts';
import { fireViewOf } from './fire-view.ts';
import type { planBody, planView } from './plan-schema.ts';

/** What an expression would do, without a schedule. Intervals that name no anchor count from `from`. */
export async function planExpression(
  schedules: Pick<Schedules, 'pinCalendars'>,
  body: z.output<typeof planBody>,
  now: EpochMs,
): Promise<z.output<typeof planView>> {
  const moment = (field: 'from' | 'to') =>
    body[field] === undefined ? undefined : momentOf(field, body[field], body.timezone);
  const from = moment('from') ?? now;
  const to = moment('to');
  const { count, previous, schedule: seed } = body;
  const spec = recurrenceOf(body);
  const policy = { ...spec, calendars: await pinCalendars(schedules, spec) };
  const compiled = headRecurrence({ id: seed as ScheduleId, policy, anchor: from });
  const { items, warnings, recurrence } = preview(compiled, {
    from,
    previous,
    now,
    seed,
    ...(to !== undefined && { to }),
    ...(count !== undefined && { count }),
  });
  return { items: items.map(fireViewOf), warnings: [...warnings], recurrence };
}
