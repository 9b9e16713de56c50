import { describe, expect, it } from 'vitest';
import { invocationOf, toWire } from '../../../lambdas/core/attempt/invocation.ts';
import { occurrenceId, scheduleId } from '../../../lambdas/core/ids.ts';
import { fillTarget } from '../../../lambdas/core/targets/http/http.ts';
import {
  fillPlaceholders,
  LONGEST_VALUES,
  type PlaceholderValues,
  unknownPlaceholders,
} from '../../../lambdas/core/targets/placeholders.ts';
import { at, definition } from '../../support/fixtures.ts';
import { running } from '../../support/occurrences.ts';

const values: PlaceholderValues = {
  id: 'g~n~t~1',
  schedule: 'g/n',
  scheduledTime: '2026-03-01T12:00:00.000Z',
  previousScheduledTime: null,
  nextScheduledTime: '2026-03-01T12:01:00.000Z',
  attempt: 2,
  kind: 'scheduled',
  isCatchUp: false,
  revision: 1,
  idempotencyKey: 'abc',
  fencingToken: 7,
};

describe('placeholders', () => {
  it('may have blanks in their braces', () => {
    const input = ['{{ punctual.attempt }}', 'run {{\tpunctual.attempt\n}} of {{  punctual.schedule}}'];
    expect(fillPlaceholders(input, values)).toEqual([2, 'run 2 of g/n']);
  });

  it('stay, without the backslash, behind one', () => {
    const [slash, braces] = ['\\', '{{punctual.attempt}}'];
    const cases: readonly (readonly [string, unknown])[] = [
      [slash + braces, braces],
      [slash + slash + braces, `${slash}2`],
      [slash + slash + slash + braces, slash + braces],
      [`a ${slash}{{ punctual.nothing }} b`, 'a {{ punctual.nothing }} b'],
      [`C:${slash}x`, `C:${slash}x`],
    ];
    for (const [text, filled] of cases) {
      expect(fillPlaceholders(text, values)).toBe(filled);
      expect(unknownPlaceholders(text)).toEqual([]);
    }
  });

  it('are found, however they are meant, when they stand for nothing', () => {
    for (const text of [
      '{{punctual}}',
      '{{ punctual. id }}',
      '{{Punctual.id}}',
      '{{punctual.ID}}',
      '{{ punctual.scheduled_time }}',
      '{{punctual[0]}}',
      '{{punctual.}}',
    ])
      expect(unknownPlaceholders({ deep: [`x ${text} y`] })).toEqual([text]);
    for (const text of ['{{punctuality.id}}', '{{ my.punctual.id }}', '{{punctual-id}}'])
      expect(unknownPlaceholders(text)).toEqual([]);
  });

  it('have no value that is longer than what is reckoned with', () => {
    const name = 'n'.repeat(64);
    const longest = {
      schedule: scheduleId(name, name),
      scheduledTime: at(0),
      revision: 9_999_999_999,
      kind: 'backfill',
      token: 't'.repeat(64),
    } as const;
    const of = { ...running({}), ...longest, attempt: 1e9, fencingToken: 1e12 };
    const recurrence = { next: () => ({ at: at(1) }), prev: () => ({ at: at(-1) }) } as never;
    const { input: _, ...about } = invocationOf(
      of,
      { revision: of.revision, definition: definition() },
      recurrence,
    );
    expect(about.id).toBe(occurrenceId(longest));
    for (const [name, value] of Object.entries(toWire(about))) {
      if (!(name in LONGEST_VALUES)) continue;
      const reckoned = String(LONGEST_VALUES[name as keyof PlaceholderValues]).length;
      expect([name, String(value).length <= reckoned]).toEqual([name, true]);
    }
  });

  it('of a target are filled into URL and headers, and never say who is called', () => {
    const target = {
      kind: 'http',
      url: 'https://example.com/{{punctual.schedule}}?at={{ punctual.scheduledTime }}&b=\\{{punctual.id}}',
      method: 'POST',
      headers: {
        'x-run': 'n {{punctual.attempt}}',
        authorization: { secret: 'arn', prefix: '{{punctual.id}}' },
      },
    } as const;
    expect(fillTarget(target, values)).toEqual({
      ...target,
      url: 'https://example.com/g%2Fn?at=2026-03-01T12%3A00%3A00.000Z&b={{punctual.id}}',
      headers: { ...target.headers, 'x-run': 'n 2' },
    });
    const elsewhere = { ...target, url: 'https://{{punctual.schedule}}:80/x' };
    expect(fillTarget(elsewhere, values).url).toBe(elsewhere.url);
  });

  it('become the value itself where they stand alone, and text inside text', () => {
    const input = {
      n: '{{punctual.attempt}}',
      none: '{{punctual.previousScheduledTime}}',
      key: 'run {{punctual.attempt}} of {{punctual.schedule}}',
      deep: [{ a: '{{punctual.isCatchUp}}' }, 5, null, true],
    };
    expect(fillPlaceholders(input, values)).toEqual({
      n: 2,
      none: null,
      key: 'run 2 of g/n',
      deep: [{ a: false }, 5, null, true],
    });
  });

  it('leave everything else alone: other templates, keys, broken ones', () => {
    const input = {
      '{{punctual.attempt}}': '{{ mustache }}',
      b: '{{punctual.attempt',
      c: '$(x) {{attempt}}',
    };
    expect(fillPlaceholders(input, values)).toEqual(input);
  });

  it('that stand for nothing are found, so that they can be refused', () => {
    const input = { a: ['{{punctual.atempt}}'], b: 'x {{punctual.toString}} {{punctual.attempt}}' };
    expect(unknownPlaceholders(input)).toEqual(['{{punctual.atempt}}', '{{punctual.toString}}']);
    expect(unknownPlaceholders('{{punctual.id}}')).toEqual([]);
  });

  it('do not reach into what every object has', () => {
    expect(fillPlaceholders('{{punctual.toString}}!', values)).toBe('{{punctual.toString}}!');
    expect(fillPlaceholders('{{punctual.constructor}}', values)).toBe('{{punctual.constructor}}');
  });
});
