import { occurrenceId } from '../../../core/ids.ts';
import { purgeTime } from '../../../core/occurrence/retention.ts';
import { isOwnSlot } from '../../../core/slots/needs.ts';
import { hasRoom, type Place, type SlotStore } from '../../../core/slots/store.ts';
import { MINUTE } from '../../../core/time.ts';
import { batchGet } from '../batch-get.ts';
import type { StoreContext } from '../client.ts';
import { and, type Expression, expression, isAbsent, or } from '../conditions.ts';
import { stripeKey } from '../keys.ts';
import { updateItem } from '../update-item.ts';
import { Candidates } from './candidates.ts';
import { createLimitWrites } from './slot-limits.ts';
import { lookBefore, ownWaiting, readMany, waitedFor, waiting } from './slot-queries.ts';
import { fence, park, wake } from './slot-waits.ts';
import { firstStripe, placeOf, stripeOf } from './stripe-items.ts';

/** An occurrence's own entry in a stripe. */
const own = (text: string, id: string, values: Record<string, unknown> = {}): Expression => ({
  text,
  names: { '#x': id },
  values,
});

/** The mark of a line goes when nobody was found to wait twice, so far apart: an index may be behind by less. */
const NO_LINE_AFTER = MINUTE;

/** Days that the slot of a schedule is kept when nobody uses it. */
const KEPT_DAYS = 30;

export function createSlotStore(context: StoreContext): SlotStore {
  const update = (place: Place, write: Expression, condition: Expression) =>
    updateItem(context, stripeKey(place), write, condition);

  const candidates = new Candidates((slot, limit) => waiting(context, slot, limit));

  return {
    ...createLimitWrites(context),

    async take(place, attempt, terms, { passing = false, marksLine = false, through } = {}) {
      const id = occurrenceId(attempt);
      const sets = [
        'h.#x = :seq',
        ...(marksLine ? ['line = :yes'] : []),
        ...(through === undefined ? [] : ['through = :through']),
      ];
      const write = own(`SET ${sets.join(', ')} REMOVE purge_at${marksLine ? ', idle' : ''}`, id, {
        ':seq': attempt.dispatchSeq,
        ...(marksLine && { ':yes': true }),
        ...(through !== undefined && { ':through': through }),
      });
      const room = own('attribute_not_exists(h.#x) AND size(h) < cap', id);
      const mayEnter = passing ? room : and(room, expression('attribute_not_exists(line)'));
      const isOlder = own('h.#x < :seq', id, { ':seq': attempt.dispatchSeq });
      const { limit, since } = terms;
      const isInForce =
        limit === undefined
          ? []
          : [
              expression('#limit = :limit OR since >= :since', ['limit'], {
                ':limit': limit,
                ':since': since,
              }),
            ];
      const result = await update(place, write, and(...isInForce, or(mayEnter, isOlder)));
      if (result.kind === 'written') return { kind: 'taken' };
      return { kind: 'refused', stripe: result.item && stripeOf(place, result.item) };
    },

    async create(terms, attempt) {
      const place = { slot: terms.slot, stripe: 0 };
      const id = occurrenceId(attempt);
      const result = await update(place, firstStripe(terms, { [id]: attempt.dispatchSeq }), isAbsent);
      if (result.kind === 'written') return true;
      return (
        result.item !== undefined && stripeOf(place, result.item).entries.get(id) === attempt.dispatchSeq
      );
    },

    async remove(place, { id, seq }, { ifNoLine = false, now } = {}) {
      // A schedule's own slot is empty then, and there is one for each that ever was: it is purged when nobody comes for
      // long. Whoever takes it takes the date away.
      const purges = now !== undefined && isOwnSlot(place.slot);
      const write = own(`REMOVE h.#x${purges ? ' SET purge_at = :purge_at' : ''}`, id, {
        ...(purges && { ':purge_at': purgeTime([now], KEPT_DAYS) }),
      });
      const there = own('h.#x <= :seq', id, { ':seq': seq });
      const condition = ifNoLine ? and(there, expression('attribute_not_exists(line)')) : there;
      const result = await update(place, write, condition);
      if (result.kind === 'written') return { kind: 'removed', stripe: stripeOf(place, result.item) };
      return { kind: 'refused', stripe: result.item && stripeOf(place, result.item) };
    },

    async replace(place, dead, next, { marksLine = true, through } = {}) {
      // The next may be an attempt of the same occurrence, which has waited for its own place.
      const isSame = dead.id === next.id;
      const names = { '#x': dead.id, ...(!isSame && { '#y': next.id }) };
      const sets = [
        `h.${isSame ? '#x' : '#y'} = :next`,
        ...(marksLine ? ['line = :yes'] : []),
        ...(through === undefined ? [] : ['through = :through']),
      ];
      const gone = [...(isSame ? [] : ['h.#x']), 'purge_at', ...(marksLine ? ['idle'] : [])];
      const write: Expression = {
        text: `SET ${sets.join(', ')} REMOVE ${gone.join(', ')}`,
        names,
        values: {
          ':next': next.seq,
          ...(marksLine && { ':yes': true }),
          ...(through !== undefined && { ':through': through }),
        },
      };
      const condition: Expression = {
        text: `h.#x <= :dead${isSame ? '' : ' AND attribute_not_exists(h.#y)'} AND size(h) <= cap`,
        names,
        values: { ':dead': dead.seq },
      };
      const result = await update(place, write, condition);
      if (result.kind === 'written') return true;
      const there = result.item && stripeOf(place, result.item).entries;
      const isLeft = (there?.get(dead.id) ?? Number.POSITIVE_INFINITY) <= dead.seq;
      // Done before, and its answer was lost; beside the dead one the next has taken a place by itself.
      return there?.get(next.id) === next.seq && !isLeft;
    },

    async markLine(place) {
      const write = expression('SET line = :yes REMOVE idle', [], { ':yes': true });
      const result = await update(place, write, expression('size(h) >= cap'));
      return result.kind === 'written' || !result.item || !hasRoom(stripeOf(place, result.item));
    },

    async noteNoLine(stripe, now) {
      if (stripe.idleSince === undefined) {
        const write = expression('SET idle = :now', [], { ':now': now });
        await update(stripe, write, expression('attribute_exists(line) AND attribute_not_exists(idle)'));
      } else if (now - stripe.idleSince >= NO_LINE_AFTER) {
        const write = expression('REMOVE line, idle');
        await update(stripe, write, expression('idle = :seen', [], { ':seen': stripe.idleSince }));
      }
    },

    async readStripes(slot, stripes, consistent = true) {
      const keys = stripes.map((stripe) => stripeKey({ slot, stripe }));
      const items = await batchGet(context.client, context.occurrencesTable, keys, consistent);
      return items.map((item) => stripeOf(placeOf(item.pk as string), item));
    },

    waiting: (slot, limit) => waiting(context, slot, limit),
    nextWaiting: (place, now, isContended) => candidates.next(place, now, isContended),
    waitedFor: (shard, after) => waitedFor(context, shard, after),
    park: (pending, slot, holds) => park(context, pending, slot, holds),
    wake: (one, place, now, options) => wake(context, one, place, now, options),
    fence: (pending, slot, now) => fence(context, pending, slot, now),
    readMany: (ids) => readMany(context, ids),
    lookBefore: (pending, from, now) => lookBefore(context, pending, from, now),
    ownWaiting: (schedule, slot, from) => ownWaiting(context, schedule, slot, from),
  };
}
