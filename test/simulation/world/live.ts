import { type EpochMs, epochMs, MINUTE, SECOND } from '../../../lambdas/core/time.ts';
import { isQuiet } from './course.ts';
import { startLife } from './life.ts';
import type { World } from './world.ts';

interface Size {
  readonly ticks?: number;
  readonly sweeps?: number;
  readonly workers?: number | 'any number';
  /** Whether slots are looked at all the time, and not at the end only. */
  readonly looksAtSlots?: boolean;
}

/** How long a poller waits when there was nothing. */
const POLL = SECOND;
/** Between two looks at slots. */
const LOOK = 10 * SECOND;

/**
 * Everything at once, as it is deployed: ticks and sweeps by the minute, a relay behind the stream, workers on
 * the queue. Ends at `until`, or when a whole minute passed in which there was nothing left to do.
 */
export async function live(
  world: World,
  until: EpochMs,
  { ticks = 1, sweeps = 1, workers = 2, looksAtSlots = false }: Size = {},
) {
  const life = startLife();
  const clock = world.time.clock(life);
  let over = false;
  const isOver = () => over || world.time.now() >= until;

  async function eachMinute(run: () => Promise<void>, last = async () => {}): Promise<void> {
    while (!isOver()) {
      await run();
      await clock.until(epochMs((Math.floor(world.time.now() / MINUTE) + 1) * MINUTE));
      await last();
    }
  }

  async function watchesSlots(): Promise<void> {
    while (!isOver()) {
      await clock.until(epochMs(world.time.now() + LOOK));
      if (world.away.size > 0) world.slots.forget();
      else await world.slots.look();
    }
  }

  async function relays(): Promise<void> {
    let seen = -1;
    while (!isOver()) {
      // Reading a stream to which nothing was written would only take time.
      if (seen !== world.calls.writes || world.outbox.waiting > 0) {
        seen = world.calls.writes;
        await world.relay();
      }
      await clock.until(epochMs(world.time.now() + POLL / 4));
    }
  }

  async function works(name: string): Promise<void> {
    while (!isOver()) {
      if ((await world.work({}, name)) > 0) continue;
      const next = world.queue.nextAt() ?? until;
      const now = world.time.now();
      await clock.until(epochMs(next > now ? Math.min(next, now + POLL) : now + POLL));
    }
  }

  /** As Lambda does it: whatever comes finds a function of its own, however many are at work. */
  async function worksAtOnce(): Promise<void> {
    const under = new Set<Promise<unknown>>();
    for (let count = 1; !isOver(); count += 1) {
      const work = world.work({}, `worker-${count}`);
      under.add(work);
      void work.finally(() => under.delete(work));
      const next = world.queue.nextAt() ?? until;
      const now = world.time.now();
      if (next <= now && world.canWork) continue;
      await clock.until(epochMs(Math.min(next > now ? next : now + POLL, now + POLL)));
    }
    await Promise.all(under);
  }

  const named = <Loop>(kind: string, count: number, loop: (name: string) => Loop) =>
    Array.from({ length: count }, (_, index) => loop(`${kind}-${index + 1}`));
  const ending = async () => {
    over = over || (await isQuiet(world));
  };
  const start = () => [
    ...named('tick', ticks, (name) => eachMinute(() => world.tick(name, { ignoreShardLease: ticks > 1 }))),
    ...named('sweep', sweeps, (name) =>
      eachMinute(() => world.sweep(name), name === 'sweep-1' ? ending : undefined),
    ),
    relays(),
    ...(looksAtSlots ? [watchesSlots()] : []),
    ...(workers === 'any number' ? [worksAtOnce()] : named('worker', workers, works)),
  ];
  try {
    await world.time.drive(() => Promise.all(start()));
  } finally {
    // After a crash the others wait for something that does not come any more.
    over = true;
    life.kill();
  }
}
