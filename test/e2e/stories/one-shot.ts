import assert from 'node:assert/strict';
import { arrivalDelay, at, inSeconds, startDelay } from '../support/timing.ts';
import type { World } from '../support/world.ts';

/** A schedule for one time, some seconds from now, calls its target then and only then. */
export async function oneShot(
  { api, arrivals, targets }: World,
  kind: keyof World['targets'],
): Promise<string> {
  const id = `e2e/once-${kind}`;
  const [group, name] = id.split('/');
  await api.create({ group, name, expression: at(inSeconds(5)), target: targets[kind] });
  const [arrival] = await arrivals.wait(id, 1, 20_000);
  assert(arrival);
  const [occurrence, ...others] = await api.ledger(id);
  assert(occurrence);
  assert.equal(others.length, 0);
  assert.equal(arrival.idempotencyKey, occurrence.idempotencyKey);
  return `started ${startDelay(occurrence)} ms after due, called ${arrivalDelay(arrival)} ms after due`;
}
