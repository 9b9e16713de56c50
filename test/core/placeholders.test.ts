import { describe, expect, it } from 'vitest';
import {
  fillPlaceholders,
  type PlaceholderValues,
  unknownPlaceholders,
} from '../../lambdas/core/placeholders.ts';

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
