import type { SlotStore } from '../../../core/slots/store.ts';
import type { StoreContext } from '../client.ts';
import { and, expression, or } from '../conditions.ts';
import { stripeKey } from '../keys.ts';
import { updateItem } from '../update-item.ts';
import { firstStripe, stripeOf } from './stripe-items.ts';

type LimitWrites = Pick<SlotStore, 'writeLimit' | 'beginLimit' | 'restartLimit' | 'share' | 'endLimit'>;

/** The writes that change the limit of a slot (lambdas/core/slots/limit.ts). */
export function createLimitWrites(context: StoreContext): LimitWrites {
  const place = (slot: string) => ({ slot, stripe: 0 });
  return {
    async writeLimit({ slot, limit, since }) {
      const write = firstStripe({ slot, limit, since });
      const values = { ...write.values };
      delete values[':entries'];
      const again = expression(
        `SET cap = :cap, since = :since, epoch = epoch + :one, settled = epoch + :one${limit === undefined ? ' REMOVE #limit' : ', #limit = :limit'}`,
        ['limit'],
        values,
      );
      const isOlder = expression('stripes = :one AND since < :since', [], { ':one': 1, ':since': since });
      const changed = await updateItem(context, stripeKey(place(slot)), again, isOlder);
      if (changed.kind === 'written') return true;
      if (changed.item) {
        const { stripes, since: then } = stripeOf(place(slot), changed.item);
        // A later one is in force, or this very one.
        return stripes === 1 && then >= since;
      }
      const made = await updateItem(
        context,
        stripeKey(place(slot)),
        write,
        expression('attribute_not_exists(pk)'),
      );
      return made.kind === 'written';
    },

    async beginLimit({ slot, limit, since }) {
      const stripes = Math.max(1, Math.ceil((limit ?? 1) / 10));
      const key = stripeKey(place(slot));
      const made = await updateItem(
        context,
        key,
        expression(
          `SET h = :none, cap = :zero, since = :since, stripes = :stripes, epoch = :one${limit === undefined ? '' : ', #limit = :limit'}`,
          limit === undefined ? [] : ['limit'],
          {
            ':none': {},
            ':zero': 0,
            ':one': 1,
            ':since': since,
            ':stripes': stripes,
            ...(limit !== undefined && { ':limit': limit }),
          },
        ),
        expression('attribute_not_exists(pk)'),
      );
      if (made.kind === 'written') return stripeOf(place(slot), made.item);
      const before = made.item && stripeOf(place(slot), made.item);
      // A later one is in force, or somebody is at this very one; the sweep ends what was left half-way.
      if (!before || before.since > since || (before.since === since && before.limit === limit))
        return undefined;
      const changed = await updateItem(
        context,
        key,
        expression(
          `SET since = :since, stripes = :stripes, epoch = epoch + :one${limit === undefined ? ' REMOVE #limit' : ', #limit = :limit'}`,
          ['limit'],
          {
            ':since': since,
            ':one': 1,
            // Those that are to go are looked at until they are empty.
            ':stripes': Math.max(stripes, before.stripes),
            ...(limit !== undefined && { ':limit': limit }),
          },
        ),
        and(expression('since <= :since AND epoch = :seen', [], { ':since': since, ':seen': before.epoch })),
      );
      return changed.kind === 'written' ? stripeOf(place(slot), changed.item) : undefined;
    },

    async restartLimit(first) {
      const write = expression('SET epoch = epoch + :one', [], { ':one': 1 });
      const seen = expression('epoch = :seen', [], { ':seen': first.epoch });
      const changed = await updateItem(context, stripeKey(first), write, seen);
      return changed.kind === 'written' ? stripeOf(first, changed.item) : undefined;
    },

    async share({ slot, stripe }, first, cap, { frozen, stripes = first.stripes }) {
      const { limit, since, epoch } = first;
      const write = expression(
        'SET h = if_not_exists(h, :none), cap = :cap, since = :since, stripes = :stripes, epoch = :epoch' +
          (frozen ? '' : ', opened = :epoch') +
          (limit === undefined ? ' REMOVE #limit' : ', #limit = :limit'),
        ['limit'],
        {
          ':none': {},
          ':cap': cap,
          ':since': since,
          ':stripes': stripes,
          ':epoch': epoch,
          ...(limit !== undefined && { ':limit': limit }),
        },
      );
      const mine = expression('epoch = :epoch', [], { ':epoch': epoch });
      // What is frozen may be of an older change. A copy that comes when it has its share freezes nothing.
      const isBefore = expression('attribute_not_exists(opened) OR opened < :epoch', [], { ':epoch': epoch });
      const isNotLater = expression('epoch <= :epoch', [], { ':epoch': epoch });
      const condition = frozen ? or(expression('attribute_not_exists(pk)'), and(isNotLater, isBefore)) : mine;
      return (await updateItem(context, stripeKey({ slot, stripe }), write, condition)).kind === 'written';
    },

    async endLimit({ slot, epoch }, stripes) {
      const write = expression('SET settled = :epoch, stripes = :stripes', [], {
        ':epoch': epoch,
        ':stripes': stripes,
      });
      await updateItem(
        context,
        stripeKey(place(slot)),
        write,
        expression('epoch = :epoch', [], { ':epoch': epoch }),
      );
    },
  };
}
