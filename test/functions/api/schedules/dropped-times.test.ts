import { describe, expect, it } from 'vitest';
import { droppedTimes } from '../../../../lambdas/api/schedules/plan-change/dropped-times.ts';
import { MAX_MISSED_PER_PLAN } from '../../../../lambdas/core/planning/planner.ts';
import { DAY, MINUTE, SECOND } from '../../../../lambdas/core/time.ts';
import { at, definition, head, NOON } from '../../../support/fixtures.ts';

describe('the record of times that an edit rules out before anything created them', () => {
  it('is none when planning is up to date, or when there is nothing to plan', () => {
    expect(droppedTimes(head({ nextDueAt: at(1) }), NOON, 'superseded')).toEqual([]);
    expect(droppedTimes(head({ nextDueAt: null }), NOON, 'superseded')).toEqual([]);
    expect(droppedTimes(head({ nextDueAt: at(-MINUTE), state: 'paused' }), NOON, 'superseded')).toEqual([]);
  });

  it('counts every time up to now, and stands at the last', () => {
    const behind = head({ nextDueAt: at(-5 * MINUTE), revision: 4 });
    expect(droppedTimes(behind, at(30 * SECOND), 'superseded')).toEqual([
      {
        schedule: behind.id,
        scheduledTime: NOON,
        revision: 4,
        kind: 'range',
        token: at(-5 * MINUTE).toString(36),
        reason: 'superseded',
        coalesced: { count: 6, from: at(-5 * MINUTE), to: NOON },
      },
    ]);
  });

  it('covers the whole range where there are more than it counts', () => {
    const from = at(-10 * DAY);
    const [record] = droppedTimes(
      head({ nextDueAt: from }, definition({ expression: '* * * * * *' })),
      NOON,
      'superseded',
    );
    expect(record?.coalesced).toEqual({ count: MAX_MISSED_PER_PLAN, from, to: NOON });
  });
});
