import fc from 'fast-check';
import { occurrenceKeyOf } from '../../../lambdas/adapters/dynamodb/keys.ts';
import { type OccurrenceId, occurrenceId } from '../../../lambdas/core/ids.ts';
import { OVERLAP_POLICIES } from '../../../lambdas/core/schedule/definition.ts';
import { headRecurrence } from '../../../lambdas/core/schedule/head-recurrence.ts';
import { type EpochMs, epochMs, MINUTE, SECOND, toIso } from '../../../lambdas/core/time.ts';
import type { Item } from '../world/observer.ts';
import type { World } from '../world/world.ts';
import { ask, type Command, type Mishap, mishaps } from './endure.ts';
import { calendarOf, type Name } from './model.ts';
import { names } from './requests.ts';

/** What people do with single occurrences, backfills, groups and calendars, whether or not it is allowed just then. */

/** The nth coming time of a schedule, 1-based. */
async function comingTime(world: World, name: Name, nth: number): Promise<EpochMs | undefined> {
  const head = await world.observer.head(world.id(name));
  if (!head || head.state === 'deleted') return undefined;
  let time: EpochMs | undefined = world.time.now();
  for (let count = 0; count < nth && time !== undefined; count += 1)
    time = headRecurrence(head).next(time)?.at;
  return time;
}

function decide(name: Name, what: 'skip' | 'unskip' | 'move', nth: number, mishap: Mishap | null): Command {
  return ask(`${name}.${what}(coming time ${nth})`, mishap, async (world) => {
    const time = await comingTime(world, name, nth);
    if (time === undefined) return;
    const id = world.id(name);
    if (what === 'move') await world.client.move(id, time, epochMs(time + (nth - 2) * 25 * SECOND));
    else await world.client[what](id, time);
  });
}

const idOf = (item: Item): OccurrenceId => occurrenceId(occurrenceKeyOf(item as never));

function operate(name: Name, what: 'cancel' | 'replay', nth: number, mishap: Mishap | null): Command {
  return ask(`${name}.${what}(occurrence ${nth})`, mishap, async (world) => {
    const items = await world.observer.occurrences(world.id(name));
    const item = items[nth % items.length];
    if (item) await world.client[what](idOf(item));
  });
}

function replayMany(
  name: Name,
  status: 'failed' | 'cancelled' | 'succeeded',
  mishap: Mishap | null,
): Command {
  return ask(`${name}.replay all that ${status}`, mishap, async (world) => {
    const items = await world.observer.occurrences(world.id(name));
    await world.client.replayMany(world.id(name), { status, limit: 20 }, items.map(idOf));
  });
}

type Trigger = { readonly key: string | undefined; readonly own: boolean };

function trigger(
  name: Name,
  overlap: (typeof OVERLAP_POLICIES)[number] | undefined,
  { key, own }: Trigger,
  mishap: Mishap | null,
): Command {
  const input = own ? { input: { by: 'hand' } } : {};
  return ask(`${name}.trigger(${overlap ?? ''}${key ? `, key ${key}` : ''})`, mishap, (world) =>
    world.client.trigger(world.id(name), key, { ...(overlap && { overlap }), ...input }),
  );
}

function backfill(name: Name, minutes: number, most: number, mishap: Mishap | null): Command {
  return ask(`${name}.backfill(${minutes} minutes, ${most} at once)`, mishap, async (world) => {
    const now = world.time.now();
    const range = { from: toIso(epochMs(now - minutes * MINUTE)), to: toIso(epochMs(now - SECOND)) };
    await world.client.backfill(world.id(name), { ...range, maxConcurrent: most }, `b${minutes}`);
  });
}

function changeBackfill(name: Name, verb: 'pause' | 'resume' | 'cancel', mishap: Mishap | null): Command {
  return ask(`${name}.${verb} backfills`, mishap, async (world) => {
    for (const made of await world.observer.backfills(world.id(name)))
      await world.client.changeBackfill(made, verb);
  });
}

const limitGroup = (limit: number | null, fires: number | null, mishap: Mishap | null): Command =>
  ask(`limit the group to ${limit} at once, ${fires} a minute`, mishap, (world) =>
    world.client.setGroup(world.group, { concurrencyLimit: limit, maxFiresPerMinute: fires }),
  );

const closes = (days: number, mishap: Mishap | null): Command =>
  ask(`the calendar closes ${days} days`, mishap, (world) =>
    world.client.putCalendar(
      calendarOf(world),
      Array.from({ length: days }, (_, day) =>
        toIso(epochMs(world.start + (day + 40) * 24 * 60 * MINUTE)).slice(0, 10),
      ),
    ),
  );

const nth = fc.integer({ min: 1, max: 4 });

export const operators = [
  fc
    .tuple(names, fc.constantFrom('skip' as const, 'unskip' as const, 'move' as const), nth, mishaps)
    .map((args) => decide(...args)),
  fc
    .tuple(
      names,
      fc.constantFrom('cancel' as const, 'replay' as const),
      fc.integer({ min: 0, max: 30 }),
      mishaps,
    )
    .map((args) => operate(...args)),
  fc
    .tuple(names, fc.constantFrom('failed' as const, 'cancelled' as const, 'succeeded' as const), mishaps)
    .map((args) => replayMany(...args)),
  fc
    .tuple(
      names,
      fc.constantFrom(undefined, ...OVERLAP_POLICIES),
      fc.record({ key: fc.constantFrom(undefined, 'k1', 'k2'), own: fc.boolean() }),
      mishaps,
    )
    .map((args) => trigger(...args)),
  fc
    .tuple(names, fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 3 }), mishaps)
    .map((args) => backfill(...args)),
  fc
    .tuple(names, fc.constantFrom('pause' as const, 'resume' as const, 'cancel' as const), mishaps)
    .map((args) => changeBackfill(...args)),
  fc
    .tuple(fc.constantFrom(null, 1, 2, 3, 11), fc.constantFrom(null, null, 30), mishaps)
    .map((args) => limitGroup(...args)),
  fc.tuple(fc.integer({ min: 0, max: 3 }), mishaps).map((args) => closes(...args)),
];
