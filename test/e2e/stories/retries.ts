import assert from 'node:assert/strict';
import { Skipped } from '../support/report.ts';
import { at, inSeconds, ON_TIME } from '../support/timing.ts';
import type { Targets, World } from '../support/world.ts';

const DELAY = 1_000;

/** A target that fails twice is called a third time, each time under a larger fencing token. */
export async function retries({ api, arrivals, targets }: World, kind: keyof Targets): Promise<string> {
  const target = targets[kind];
  if (target === undefined) throw new Skipped('what is deployed cannot reach a receiver here');
  const id = `e2e/retries-${kind}`;
  await api.create(id, {
    expression: at(inSeconds(8)),
    target,
    input: { failures: 2 },
    retry: { maxAttempts: 5, initialDelay: 'PT1S', factor: 1, jitter: 0 },
  });
  const [occurrence] = await api.settled(id, 60_000);
  assert(occurrence);
  const calls = await arrivals.wait(id, 3, 10_000);
  assert.deepEqual(
    calls.map(({ attempt }) => attempt),
    [1, 2, 3],
  );
  assert.equal(new Set(calls.map(({ idempotencyKey }) => idempotencyKey)).size, 1);
  const tokens = calls.map(({ fencingToken }) => fencingToken);
  assert.deepEqual(
    tokens,
    [...new Set(tokens)].toSorted((a, b) => a - b),
  );
  assert.equal(occurrence.status, 'succeeded');
  assert.deepEqual(
    occurrence.attempts.map(({ outcome }) => outcome),
    ['failed', 'failed', 'succeeded'],
  );
  const { attempts } = occurrence;
  const waited = attempts.slice(1).map(({ startedAt }, index) => {
    const ended = attempts[index]?.finishedAt ?? '';
    return Date.parse(startedAt) - Date.parse(ended) - DELAY;
  });
  for (const late of waited) assert(late >= 0 && late < ON_TIME, `A retry came ${late} ms after it was due.`);
  return `retries started ${waited.join(', ')} ms after they were due, fencing tokens ${tokens.join(', ')}`;
}
