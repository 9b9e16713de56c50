import assert from 'node:assert/strict';
import { MINUTE } from '../../../lambdas/core/time.ts';
import { Skipped } from '../support/report.ts';
import { arrivalDelay, startDelay } from '../support/timing.ts';
import type { Targets, World } from '../support/world.ts';

const idOf = (kind: keyof Targets) => `e2e/minute-${kind}`;

/** Found by ticks: of a schedule without an end, only its first times are planned when it is created. */
export async function everyMinute({ api, arrivals, targets }: World, kind: keyof Targets): Promise<string> {
  const target = targets[kind];
  if (target === undefined) throw new Skipped('what is deployed cannot reach a receiver here');
  await api.create(idOf(kind), { expression: '* * * * *', target });
  const [first] = await arrivals.wait(idOf(kind), 1, 90_000);
  assert(first);
  const occurrence = (await api.ledger(idOf(kind))).find(
    ({ scheduledTime }) => Date.parse(scheduledTime) === first.scheduledTime,
  );
  assert(occurrence);
  return `started ${startDelay(occurrence)} ms after due, called ${arrivalDelay(first)} ms after due`;
}

/** Each minute from the first to one that is after `since` was called once, whatever happened meanwhile. */
export async function noMinuteMissed(
  { api, arrivals, targets }: World,
  kind: keyof Targets,
  since: number,
): Promise<string> {
  if (targets[kind] === undefined) throw new Skipped('what is deployed cannot reach a receiver here');
  const id = idOf(kind);
  const calls = await arrivals.until(id, 90_000, ({ scheduledTime }) => scheduledTime > since);
  const times = [...new Set(calls.map(({ scheduledTime }) => scheduledTime))];
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  assert.equal(times.length, calls.length, `${id} was called twice for a minute.`);
  assert.deepEqual(
    times,
    Array.from({ length: (last - first) / MINUTE + 1 }, (_, index) => first + index * MINUTE),
  );
  const ledger = (await api.ledger(id)).map(({ scheduledTime }) => Date.parse(scheduledTime));
  for (const time of times)
    assert(ledger.includes(time), `${id} has no record of a time that it was called for.`);
  const after = calls.filter(({ scheduledTime }) => scheduledTime > since);
  return `${times.length} minutes, none missing, none twice; after the deployment called ${after.map(arrivalDelay).join(', ')} ms after due`;
}
