import { describe, expect, it } from 'vitest';
import { RELAY_FILTER } from '../../lambdas/contract/tables.ts';
import { matchesPattern } from '../../local/sources/event-pattern.ts';

const record = (eventName: string, status?: string) => ({
  eventName,
  dynamodb: { Keys: { pk: { S: 'a' } }, ...(status && { NewImage: { status: { S: status } } }) },
});

describe('the relay filter', () => {
  it('lets pending images through, however they came to be', () => {
    expect(matchesPattern(RELAY_FILTER, record('INSERT', 'pending'))).toBe(true);
    expect(matchesPattern(RELAY_FILTER, record('MODIFY', 'pending'))).toBe(true);
  });

  it('leaves out other states, and removals', () => {
    expect(matchesPattern(RELAY_FILTER, record('MODIFY', 'running'))).toBe(false);
    expect(matchesPattern(RELAY_FILTER, record('REMOVE'))).toBe(false);
  });
});

describe('event patterns', () => {
  it.each([
    [{ a: [{ exists: true }] }, { a: 0 }, true],
    [{ a: [{ exists: false }] }, { a: 0 }, false],
    [{ a: [{ exists: false }] }, {}, true],
    [{ a: [null] }, { a: null }, true],
    [{ a: [{ prefix: 'eu-' }] }, { a: 'eu-west-1' }, true],
    [{ a: [{ suffix: '-1' }] }, { a: 'eu-west-2' }, false],
    [{ a: [{ 'anything-but': ['x', 'y'] }] }, { a: 'z' }, true],
    [{ a: [{ 'anything-but': 'x' }] }, { a: 'x' }, false],
    [{ a: [{ numeric: ['>=', 1, '<', 10] }] }, { a: 9.5 }, true],
    [{ a: [{ numeric: ['>=', 1, '<', 10] }] }, { a: 10 }, false],
    [{ a: { b: ['x'] } }, { a: 'x' }, false],
    [{ a: ['x'] }, { a: ['w', 'x'] }, true],
    [{ a: ['x'], b: ['y'] }, { a: 'x', b: 'z' }, false],
  ])('%j on %j is %s', (pattern, event, expected) => {
    expect(matchesPattern(pattern, event)).toBe(expected);
  });

  it('refuses an operator that it does not play, rather than letting everything through', () => {
    expect(() => matchesPattern({ a: [{ cidr: '10.0.0.0/8' }] }, { a: '10.0.0.1' })).toThrow(/"cidr"/);
  });
});
