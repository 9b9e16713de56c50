import { isPunctualError } from '../../../lambdas/core/errors.ts';
import { type OccurrenceId, occurrenceId } from '../../../lambdas/core/ids.ts';
import type { Definition } from '../../../lambdas/core/schedule/definition.ts';
import { type EpochMs, MINUTE, toIso } from '../../../lambdas/core/time.ts';
import { definition } from '../../support/fixtures.ts';
import type { Call } from '../world/calls.ts';
import type { Item } from '../world/observer.ts';
import type { World } from '../world/world.ts';

/** `at(...)`: once. */
export const once = (at: EpochMs): string => `at(${toIso(at).slice(0, 19)})`;

/** Each minute (or `every` so many) from `first` on, so often: a schedule that comes to its end. */
export function minutely(first: EpochMs, count: number, every = 1): string {
  const start = toIso(first).slice(0, 19).replace(/[-:]/g, '');
  return `DTSTART:${start}Z\nRRULE:FREQ=MINUTELY;INTERVAL=${every};COUNT=${count}`;
}

/** Each second, or `every` so many, from `first` on, so often. */
export function secondly(first: EpochMs, count: number, every = 1): string {
  return minutely(first, count, every).replace('MINUTELY', 'SECONDLY');
}

/** Two retries, soon. */
const RETRY = {
  maxAttempts: 3,
  initialDelay: 'PT5S',
  factor: 2,
  maxDelay: 'PT1M',
  jitter: 0,
  maxAge: 'PT1H',
};

export function scheduled(expression: string, changes: Partial<Definition> = {}): Definition {
  return definition({ expression, overlap: 'allow', retry: RETRY, ...changes });
}

/** The schedule of most stories: once, in a minute. Asked for again it is the same request. */
export function createInAMinute(world: World): Promise<void> {
  return world.client.create(world.id('a'), scheduled(once(world.at(MINUTE)), { timeout: 'PT5M' }), 'key');
}

/** The id of the occurrence that a revision of a schedule has at a time. */
export function occurrenceAt(world: World, name: string, scheduledTime: EpochMs, revision = 1): OccurrenceId {
  return occurrenceId({ schedule: world.id(name), scheduledTime, revision, kind: 'scheduled' });
}

/** Compares the ledger of a schedule, oldest first, with what it should say. */
export async function ledgerIs(
  world: World,
  name: string,
  expected: readonly string[],
  describe: (item: Item) => string = statusAndReason,
): Promise<string[]> {
  const items = await world.observer.occurrences(world.id(name));
  const found = items.map(describe).join(', ');
  const wanted = expected.join(', ');
  return found === wanted ? [] : [`the ledger of ${name} says ${found || 'nothing'}, not ${wanted}`];
}

export function statusAndReason({ status, reason }: Item): string {
  return reason === undefined ? String(status) : `${status} ${reason}`;
}

export function callsAre(world: World, expected: number): string[] {
  const { length } = world.targetCalls;
  return length === expected ? [] : [`the target was called ${length} times, not ${expected}`];
}

/** The first write of a worker that is at nothing else. */
export const isClaim = ({ process, effect }: Call): boolean =>
  process === 'worker' && (effect === 'write' || effect === 'transaction');

/** A client that asks again, and takes it well that it was heard the first time. */
export async function orRefused(request: Promise<void>): Promise<void> {
  await request.catch((error) => {
    if (!isPunctualError(error)) throw error;
  });
}
