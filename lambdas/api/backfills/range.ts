import { type Backfill, MAX_BACKFILL_TIMES } from '../../core/backfill/backfill.ts';
import { countTimes } from '../../core/backfill/times.ts';
import { momentOf, type Recurrence } from '../../core/recurrence/index.ts';
import { type EpochMs, toIso } from '../../core/time.ts';
import { invalidRequest } from '../request/field-faults.ts';
import type { CreateBackfillBody } from './backfill-schema.ts';

export type BackfillRange = Pick<Backfill, 'from' | 'to' | 'order'>;

/** The range of a request, and how many nominal times lie in it; refused where it has no bearable meaning. */
export function rangeOf(
  body: CreateBackfillBody,
  recurrence: Recurrence,
  timezone: string,
  now: EpochMs,
): { readonly range: BackfillRange; readonly total: number } {
  const refuse = (field: 'from' | 'to', message: string) =>
    invalidRequest([{ path: [field], message }], body);
  const [from, to] = [momentOf('from', body.from, timezone), momentOf('to', body.to, timezone)];
  if (to > now) {
    throw refuse(
      'to',
      `A backfill is of the past: it ends by now, ${toIso(now)}. What is to come is planned.`,
    );
  }
  if (from > to) throw refuse('from', 'The start of the range lies after its end.');
  const range = { from, to, order: body.order };
  const total = countTimes(recurrence, range, MAX_BACKFILL_TIMES);
  if (total > MAX_BACKFILL_TIMES) {
    const message = `The range has more than ${MAX_BACKFILL_TIMES} nominal times. Make several backfills of it.`;
    throw refuse('from', message);
  }
  return { range, total };
}
