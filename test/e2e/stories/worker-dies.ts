import assert from 'node:assert/strict';
import { at, inSeconds } from '../support/timing.ts';
import { until } from '../support/until.ts';
import type { World } from '../support/world.ts';

const ID = 'e2e/worker-dies';
/** The platform kills the worker after so many seconds; the target would take longer. */
const KILLED_AFTER = 5;
const TARGET_TAKES_MS = 20_000;

/** Its worker is killed in mid-call, as Lambda does it: by the function's time-out. */
export async function workerDies({ api, arrivals, deployed, targets }: World): Promise<string> {
  return deployed.withWorkerTimeout(KILLED_AFTER, async () => {
    await api.create(ID, {
      expression: at(inSeconds(5)),
      target: targets.lambda,
      input: { hangMs: TARGET_TAKES_MS },
      retry: { maxAttempts: 3, initialDelay: 'PT1S', factor: 1, jitter: 0 },
    });
    await arrivals.wait(ID, 1, 30_000);
    // A worker that lives renews its lease; nobody else ends this one before it has run out.
    const lease = await until('the lease runs out', 60_000, async () => {
      const [occurrence] = await api.ledger(ID);
      const { leaseExpiresAt, status } = occurrence ?? {};
      if (status !== 'running' || leaseExpiresAt === undefined) return status === 'pending' ? '' : undefined;
      return Date.parse(leaseExpiresAt) < Date.now() ? leaseExpiresAt : undefined;
    });
    return `called, killed; lease ran out at ${lease.slice(11, 19)}`;
  });
}

/** The sweep takes the lease over, and the next attempt is let through. */
export async function deadWorkerIsReplaced({ api, arrivals }: World): Promise<string> {
  const [occurrence] = await api.settled(ID, 120_000);
  assert(occurrence);
  assert.equal(occurrence.status, 'succeeded');
  assert.deepEqual(
    occurrence.attempts.map(({ outcome }) => outcome),
    ['lease-expired', 'succeeded'],
  );
  const [first, second, ...others] = await arrivals.wait(ID, 2, 10_000);
  assert(first && second);
  assert.equal(others.length, 0);
  assert.equal(first.idempotencyKey, second.idempotencyKey);
  assert(second.fencingToken > first.fencingToken);
  return `called again ${Math.round((second.at - first.at) / 1_000)} s after the first call, same key, larger token`;
}
