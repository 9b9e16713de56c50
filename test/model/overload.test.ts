import { describe, expect, it } from 'vitest';
import { Overload } from './overload.ts';

/** What the embedded run starts in a second on two cores. */
const RATE = 270;
/** A tenth of it, where nothing depends on how much there is. */
const SLOW = 27;
const MANY = 60_000;
const HOUR = 3_600;
const total = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0);

describe('what is due by the thousand', { timeout: 60_000 }, () => {
  it.each([10_000, MANY])('is not handed over again while it only waits its turn: %i', async (count) => {
    const world = new Overload(RATE);
    world.add(count);
    await world.pass(Math.ceil(count / RATE) + 10);
    expect(world).toMatchObject({ started: count, left: 0, copies: 0 });
    expect(total(world.handedOver)).toBe(0);
  });

  it('is not handed over again while more comes all the time', async () => {
    const world = new Overload(SLOW);
    for (let minute = 0; minute < 12; minute += 1) {
      world.add(SLOW * 90);
      await world.pass(60);
    }
    expect(total(world.handedOver)).toBe(0);
  });

  it('is handed over within minutes at a bounded rate when the queue has lost it', async () => {
    const world = new Overload(RATE);
    world.add(MANY);
    await world.pass(30);
    world.purgeQueue();
    await world.pass(15 * 60);
    expect(world.left).toBe(0);
    expect(Math.max(...world.handedOver)).toBeLessThanOrEqual(10_020);
    // Hardly anything twice: what was handed over once is in the queue.
    expect(world.copies).toBeLessThan(MANY / 50);
  });

  it('is handed over when half of it was lost, once workers have come to the end of the rest', async () => {
    const world = new Overload(RATE);
    world.add(2_000);
    for (let lost = 0; lost < 1_000; lost += 1) world.loseFirst();
    await world.pass(1);
    for (let lost = 0; lost < 500; lost += 1) world.loseFirst();
    await world.pass(5 * 60);
    expect(world).toMatchObject({ left: 0, copies: 0 });
  });

  it('lets one lost message of a queue that is never empty be found', async () => {
    const world = new Overload(SLOW);
    world.add(SLOW * 120);
    await world.pass(1);
    world.loseFirst();
    for (let minute = 0; minute < 20; minute += 1) {
      world.add(SLOW * 60);
      await world.pass(60);
    }
    // Those that have waited for a quarter of an hour, of which there is one, and for two minutes, which are all.
    expect(total(world.handedOver)).toBe(1);
    expect(world.started + world.left).toBe(SLOW * (120 + 20 * 60));
  });
});

describe('a part that was away', { timeout: 60_000 }, () => {
  it('the stream for a minute: nothing is handed over again', async () => {
    const world = new Overload(RATE);
    world.isRelayUp = false;
    world.add(5_000);
    await world.pass(60);
    world.isRelayUp = true;
    await world.pass(60);
    expect(world).toMatchObject({ left: 0, copies: 0 });
    expect(total(world.handedOver)).toBe(0);
  });

  it('the stream for an hour: it is not given much more to do than it has', async () => {
    const world = new Overload(RATE);
    world.isRelayUp = false;
    world.add(5_000);
    await world.pass(HOUR);
    expect(total(world.handedOver)).toBeLessThan(2_800);
    world.isRelayUp = true;
    await world.pass(5 * 60);
    expect(world.left).toBe(0);
  });

  it('the stream for more than a day: what its records are gone for is handed over all the same', async () => {
    const world = new Overload(RATE);
    world.isRelayUp = false;
    world.add(300);
    await world.pass(25 * HOUR);
    world.isRelayUp = true;
    const before = world.handedOver.length;
    await world.pass(20 * 60);
    expect(world.left).toBe(0);
    expect(Math.max(...world.handedOver.slice(before))).toBeLessThanOrEqual(10_020);
  });

  it('the workers for a day: their queue grows by next to nothing', async () => {
    const world = new Overload(RATE);
    world.areWorkersUp = false;
    world.add(300);
    await world.pass(24 * HOUR);
    // Twenty a minute at most.
    expect(total(world.handedOver)).toBeLessThanOrEqual(20 * 24 * 60);
    world.areWorkersUp = true;
    await world.pass(5 * 60);
    expect(world.left).toBe(0);
  });

  it('the workers and then the queue: all of it is started', async () => {
    const world = new Overload(RATE);
    world.areWorkersUp = false;
    world.add(5_000);
    await world.pass(HOUR);
    world.purgeQueue();
    world.areWorkersUp = true;
    await world.pass(20 * 60);
    expect(world.left).toBe(0);
  });
});
