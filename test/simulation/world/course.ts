import { type EpochMs, epochMs, MINUTE } from '../../../lambdas/core/time.ts';
import type { Part, World } from './world.ts';

const NEVER = Number.POSITIVE_INFINITY;

/** How a world goes on by itself: what each minute brings, until all is at rest. */

/** Tick and sweep, then relay, workers and whoever works outside, as messages and times come due. */
export async function minute(world: World): Promise<void> {
  const end = epochMs((Math.floor(world.time.now() / MINUTE) + 1) * MINUTE);
  await world.tick();
  await world.sweep();
  await pump(world, end);
}

export async function minutes(world: World, count: number): Promise<void> {
  for (let passed = 0; passed < count; passed += 1) await minute(world);
}

/** The same with so many minutes between two of what comes by the minute, for outages that last. */
export async function longMinutes(world: World, count: number, every: number): Promise<void> {
  for (let passed = 0; passed < count; passed += every) {
    const end = epochMs(world.time.now() + every * MINUTE);
    await world.tick();
    await world.sweep();
    await pump(world, end);
  }
}

/** Lets so many minutes pass without some of the parts; they come back with what waited for them. */
export async function without(world: World, parts: readonly Part[], count: number, every = 1): Promise<void> {
  for (const part of parts) world.away.add(part);
  try {
    await longMinutes(world, count, every);
  } finally {
    for (const part of parts) world.away.delete(part);
  }
}

/** All but tick and sweep, until `end`. */
async function pump(world: World, end: EpochMs): Promise<void> {
  const { outbox, outside, queue, time, away } = world;
  // A relay that meets no queue is not asked again at once, nor are workers that are away.
  const isRelayed = () => outbox.waiting === 0 || away.has('relay') || away.has('queue');
  for (;;) {
    await world.relay();
    if ((await world.work()) > 0 || !isRelayed() || (await outside.act())) continue;
    const next = Math.min((world.canWork ? queue.nextAt() : undefined) ?? NEVER, outside.nextAt() ?? NEVER);
    if (next > end) break;
    if (next > time.now()) time.moveTo(epochMs(next));
  }
  if (end > time.now()) time.moveTo(end);
  if (away.size > 0) world.slots.forget();
  else await world.slots.look();
}

/** Goes on until every schedule has run out and nothing is open; then until the queue is empty too. */
export async function settle(world: World, limitMinutes = 90): Promise<void> {
  for (let passed = 0; ; passed += 1) {
    await minute(world);
    if (await isQuiet(world)) break;
    if (passed >= limitMinutes) throw new Error(`Not at rest after ${limitMinutes} minutes.`);
  }
  const { queue, outbox } = world;
  for (let next = queue.nextAt(); next !== undefined; next = queue.nextAt()) {
    await pump(world, next);
    await world.work();
  }
  await outbox.read();
}

/** There is nothing that a tick would come back for, and nothing is open. */
export async function isQuiet({ history, observer }: World): Promise<boolean> {
  for (const id of history.schedules) {
    const head = await observer.head(id);
    if (head && head.state !== 'deleted' && head.nextDueAt !== null) return false;
    const backfills = await observer.backfills(id);
    if (backfills.some(({ nextDueAt }) => nextDueAt !== null)) return false;
    if (head?.state !== 'paused' && (await observer.revivals(id)).length > 0) return false;
    const items = await observer.occurrences(id);
    if (items.some(({ status }) => status === 'pending' || status === 'running')) return false;
  }
  return true;
}
