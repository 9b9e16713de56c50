import { describe, expect, test } from 'vitest';
import { preview } from '../../../lambdas/core/recurrence/index.ts';
import { epochMs } from '../../../lambdas/core/time.ts';
import { answer, CASES, type Case, POLICIES, textOf } from './case-table.ts';
import { recurrence, refused } from './support.ts';

const rejected = CASES.filter((one) => one.expectReject);
const seeded = CASES.filter((one) => one.expectStableWithSeed);
const answered = CASES.filter((one) => !one.expectReject && !one.expectStableWithSeed);

/**
 * Answers under `shift` that follow a rule which Punctual does not offer: there, ranges and steps count as
 * wildcards, so `30 2/4` is not moved out of a gap and `0-23` runs in both passes. Here `gap: shift` moves
 * whatever a gap skips, and leaves the overlap to Debian's rule: a leading `*`.
 */
const OTHER_RULE = new Set(['GAP-09 shift', 'OVERLAP-21 shift']);

/** One row for each policy that a case tells apart and Punctual offers. */
const alternatives = answered.flatMap((one) =>
  Object.entries(one.alternatives ?? {}).flatMap(([names, expected]) =>
    names
      .split('|')
      .filter((name) => POLICIES[name] && !OTHER_RULE.has(`${one.id} ${name}`))
      .map((name) => ({ title: `${one.id} ${name}`, name, one, expected })),
  ),
);

const title = (one: Case): string => `${one.id} ${(one.expr ?? one.exprGen ?? '').slice(0, 60)}`;

describe('reported cases', () => {
  test('are all here', () => {
    expect(CASES).toHaveLength(220);
    expect(alternatives.length).toBeGreaterThan(70);
  });

  test.each(answered.map((one) => [title(one), one] as const))('%s is answered', (_, one) => {
    expect(answer(one)).toEqual(one.expect);
  });

  test.each(alternatives)('$title is answered under its policy', ({ one, name, expected }) => {
    expect(answer(one, POLICIES[name])).toEqual(expected);
  });

  test('that name a rule which Punctual does not offer are answered by its own', () => {
    const shifted = (id: string): string[] =>
      answer(CASES.find((one) => one.id === id) as Case, { gap: 'shift' });
    expect(shifted('GAP-09')[0]).toBe('2019-10-05T16:30:00Z');
    expect(shifted('OVERLAP-21').slice(0, 2)).toEqual(['2026-11-01T05:00:00Z', '2026-11-01T07:00:00Z']);
  });

  test.each(rejected.map((one) => [title(one), one] as const))('%s is refused', (_, one) => {
    const error = refused(() => answer(one));
    expect(error.code).toMatch(/^(expression|timezone)\./);
    expect(error.field).toMatch(/^(expression|timezone|from)$/);
    expect(error.message.length).toBeLessThan(600);
  });

  test.each(seeded.map((one) => [title(one), one] as const))(
    '%s depends on the schedule id alone',
    (_, one) => {
      const from = epochMs(Date.UTC(2026, 0, 1));
      const times = (seed: string): string =>
        JSON.stringify(
          preview(recurrence(textOf(one), { context: { seed } }), { from, now: from, seed }).items,
        );
      expect(times('group/a')).toBe(times('group/a'));
      const different = new Set(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => times(`group/${name}`)));
      expect(different.size).toBeGreaterThan(2);
    },
  );
});
