import { describe, expect, it } from 'vitest';
import { DAY, type EpochMs, epochMs, HOUR, MINUTE } from '../../../lambdas/core/time.ts';
import { nextByZones, staysByZones } from '../../../lambdas/core/zones/zone-change.ts';
import { at, NOON } from '../../support/fixtures.ts';

/** Fires every `stepMs` from noon on and before it, once the zone has shifted by `ms`. */
function shifted(stepMs: number, ms: number) {
  const start = NOON + ms;
  const fire = (number: number) => ({ at: epochMs(start + number * stepMs), notes: [] });
  return {
    next: (after: EpochMs) => fire(Math.floor((after - start) / stepMs) + 1),
    prev: (before: EpochMs) => fire(Math.ceil((before - start) / stepMs) - 1),
  };
}

const head = { nextDueAt: at(DAY), updatedAt: at(-30 * DAY) };

describe('the next time by other zone data', () => {
  it('is the same where nothing moved', () => {
    expect(nextByZones(head, shifted(DAY, 0), NOON)).toBe(at(DAY));
    expect(nextByZones(head, shifted(DAY, 0), undefined)).toBe(at(DAY));
  });

  it.each([HOUR, -HOUR, 30 * MINUTE])(
    'moves with a daily time by %i, whether or not a record is left',
    (by) => {
      // What ran at noon stood for today's, wherever that is now: the next is tomorrow's.
      expect(nextByZones(head, shifted(DAY, by), NOON)).toBe(at(DAY + by));
      expect(nextByZones(head, shifted(DAY, by), undefined)).toBe(at(DAY + by));
    },
  );

  it('neither doubles nor loses one of an hourly schedule in a zone that shifts by a part of an hour', () => {
    const hourly = { ...head, nextDueAt: at(HOUR) };
    expect(nextByZones(hourly, shifted(HOUR, -15 * MINUTE), NOON)).toBe(at(45 * MINUTE));
    expect(nextByZones(hourly, shifted(HOUR, 15 * MINUTE), NOON)).toBe(at(75 * MINUTE));
    expect(nextByZones(hourly, shifted(HOUR, 30 * MINUTE), NOON)).toBe(at(30 * MINUTE));
  });

  it('includes one that did not exist before and comes sooner', () => {
    // Every other day until now, by what is gone from the zone; daily by the new data.
    expect(nextByZones({ ...head, nextDueAt: at(2 * DAY) }, shifted(DAY, 0), NOON)).toBe(at(DAY));
  });

  it('is not before the last change of the schedule', () => {
    const edited = { ...head, updatedAt: at(DAY - MINUTE) };
    expect(nextByZones(edited, shifted(DAY, -HOUR), NOON)).toBe(at(2 * DAY - HOUR));
  });

  it('is none when there is none', () => {
    expect(nextByZones(head, { next: () => null, prev: () => null }, NOON)).toBeNull();
  });
});

describe('a next time stays', () => {
  it('only when it is a fire and none comes before it', () => {
    expect(staysByZones(at(DAY), shifted(DAY, 0), at(MINUTE))).toBe(true);
    expect(staysByZones(at(DAY), shifted(DAY, HOUR), at(MINUTE))).toBe(false);
    expect(staysByZones(at(DAY), shifted(HOUR, 0), at(MINUTE))).toBe(false);
  });
});
