import assert from 'node:assert/strict';
import { Skipped } from '../support/report.ts';
import { arrivalDelay, at, inSeconds, startDelay } from '../support/timing.ts';
import type { Targets, World } from '../support/world.ts';

/** A schedule for one time, some seconds from now, calls its target then and only then. */
export async function oneShot({ api, arrivals, targets }: World, kind: keyof Targets): Promise<string> {
  const target = targets[kind];
  if (target === undefined) throw new Skipped('what is deployed cannot reach a receiver here');
  const id = `e2e/once-${kind}`;
  await api.create(id, { expression: at(inSeconds(8)), target });
  const [arrival] = await arrivals.wait(id, 1, 20_000);
  assert(arrival);
  const [occurrence, ...others] = await api.settled(id);
  assert(occurrence);
  assert.equal(others.length, 0);
  assert.equal(occurrence.status, 'succeeded');
  assert.equal(arrivals.of(id).length, 1);
  assert.equal(arrival.idempotencyKey, occurrence.idempotencyKey);
  return `started ${startDelay(occurrence)} ms after due, called ${arrivalDelay(arrival)} ms after due`;
}

/** Functions start on their first call, and several side by side. No figure is taken from these. */
export async function firstCalls({ api, arrivals, targets }: World): Promise<string> {
  const ids = [1, 2, 3].map((number) => `e2e/first-${number}`);
  await Promise.all(
    ids.map((id, index) =>
      api.create(id, {
        expression: at(inSeconds(3 + index)),
        target: targets.lambda,
        // So that the next one finds this worker and this target busy.
        input: { hangMs: 4_000 },
      }),
    ),
  );
  // As many as the stories ask at once.
  await Promise.all(Array.from({ length: 10 }, () => api.must('GET', '/health')));
  await Promise.all(ids.map((id) => arrivals.wait(id, 1, 60_000)));
  await Promise.all(ids.map((id) => api.settled(id)));
  return 'workers, target and API have started';
}
