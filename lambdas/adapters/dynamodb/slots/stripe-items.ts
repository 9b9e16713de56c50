import type { OccurrenceId } from '../../../core/ids.ts';
import { type LimitTerms, MAX_PLACES, type Place, type Stripe } from '../../../core/slots/store.ts';
import type { EpochMs } from '../../../core/time.ts';
import { type Expression, expression } from '../conditions.ts';
import type { Item } from '../item.ts';

/**
 * A stripe of a slot as stored: `h`, occurrence id → sequence of its attempt; `cap`, how many it may hold; of the whole
 * slot `limit`, `since` and `stripes`. Names are short, since every claim and settlement pays for the size.
 */
export function stripeOf(place: Place, item: Item): Stripe {
  const epoch = item.epoch as number;
  return {
    slot: place.slot,
    stripe: place.stripe,
    cap: item.cap as number,
    limit: item.limit as number | undefined,
    since: item.since as EpochMs,
    stripes: item.stripes as number,
    entries: new Map(Object.entries((item.h ?? {}) as Record<OccurrenceId, number>)) as Map<
      OccurrenceId,
      number
    >,
    hasLine: item.line === true,
    idleSince: item.idle as EpochMs | undefined,
    epoch,
    isSettled: item.settled === epoch,
    through: item.through as EpochMs | undefined,
  };
}

export const placeOf = (pk: string): Place => {
  const [, slot, stripe] = pk.split('#');
  return { slot: slot ?? '', stripe: Number(stripe) };
};

/** A slot of one stripe as it is when its limit is set for the first time. */
export function firstStripe(
  { limit, since }: LimitTerms,
  entries: Readonly<Record<OccurrenceId, number>> = {},
): Expression {
  return expression(
    `SET h = :entries, cap = :cap, since = :since, stripes = :one, epoch = :one, settled = :one${limit === undefined ? '' : ', #limit = :limit'}`,
    limit === undefined ? [] : ['limit'],
    {
      ':entries': entries,
      ':cap': Math.min(limit ?? 0, MAX_PLACES),
      ':since': since,
      ':one': 1,
      ...(limit !== undefined && { ':limit': limit }),
    },
  );
}
