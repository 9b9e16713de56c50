import type { DynamoDBRecord } from 'aws-lambda';
import type { TestEngine } from '../../support/engine.ts';
import { faultsAtRest } from '../oracles/invariants.ts';
import { applies, type Call, type Fault, type Faults, faultAt, faultEverywhere, NO_FAULTS } from './calls.ts';
import { settle } from './course.ts';
import { type Lane, openLane } from './lane.ts';
import { Crashed } from './life.ts';
import { LONG } from './runs.ts';
import { World } from './world.ts';

/** A story that is told once undisturbed, and then again with every way in which each of its calls can go wrong. */
export interface Scenario {
  readonly name: string;
  /** Up to where nothing is left to do but to let time pass. */
  readonly arrange: (world: World) => Promise<void>;
  /** What clients do whose request was not answered: they ask again. Must be harmless when it was carried out. */
  readonly retryRequests?: (world: World) => Promise<void>;
  /** The story itself loses messages, so that the sweep has to hand over again. */
  readonly losesMessages?: boolean;
  /** What must be so once all is at rest, whatever went wrong; what it does itself is left in peace. */
  readonly holds?: (world: World) => Promise<string[]>;
  /** What the undisturbed story must have come to; empty when it did. */
  readonly expected: (world: World) => Promise<string[]>;
}

type AttributeMap = NonNullable<DynamoDBRecord['dynamodb']>['NewImage'];

/** For `it.each`, whose titles cut a property short. */
export const byName = (scenarios: readonly Scenario[]) => scenarios.map((one) => [one.name, one] as const);

export interface Disturbance {
  readonly fault: Fault;
  /** The number of the call; every one that it can happen to when absent. */
  readonly at?: number;
}

/** Faults of one call. */
export const SINGLE_FAULTS = [
  'crash-before',
  'crash-after',
  'arrives-late',
  'twice',
  'again-late',
  'unanswered',
  'unheard',
  'refused',
  'silent',
  'stale',
] as const satisfies readonly Fault[];

/** What the SDK gives up on. */
const GIVEN_UP: readonly Fault[] = ['refused', 'silent'];

/**
 * Each fault at each call. Crashes that leave the same behind are told once: a call that only reads leaves
 * nothing behind, so dying before or after it is dying after the last effect before it.
 */
export function disturbances(calls: readonly Call[], exhaustive = LONG): Disturbance[] {
  const single = SINGLE_FAULTS.flatMap((fault) =>
    calls
      .filter((call) => applies(fault, call) && (exhaustive || isDistinct(fault, call)))
      .map(({ number }) => ({ fault, at: number })),
  );
  // These two must not be noticed at all, so that all of them at once are as good as each of them.
  return [...single, { fault: 'throttled' }, { fault: 'conflict' }];
}

function isDistinct(fault: Fault, { number, alone, effect }: Call): boolean {
  const reads = effect === 'read' || effect === 'index';
  if (fault === 'crash-before') return number === 1 || !alone;
  return fault === 'crash-after' ? !reads || !alone : true;
}

/** Tells the story in a world of its own and answers what was wrong at the end. */
export async function runScenario(lane: Lane, scenario: Scenario, disturbance?: Disturbance) {
  const world = await World.open(lane);
  world.calls.faults = faultsOf(disturbance);
  const wrong: string[] = [];
  try {
    await scenario.arrange(world);
    await settle(world);
  } catch (error) {
    if (!disturbance) throw error;
    // Anything but a crash is a request that was refused in the end; its client sees that.
    if (!(error instanceof Crashed) && !GIVEN_UP.includes(disturbance.fault)) throw error;
    await world.restart();
    await scenario.retryRequests?.(world);
    await settle(world);
  }
  wrong.push(...(await faultsAtRest(world)));
  const unnoticed = disturbance === undefined || ['throttled', 'conflict'].includes(disturbance.fault);
  if (unnoticed) {
    wrong.push(...world.troubles.map(({ process, error }) => `${process} failed: ${String(error)}`));
    wrong.push(...(await scenario.expected(world)));
  }
  const refused = disturbance && isRefusedHandOver(disturbance, world.calls.made);
  if (refused && !scenario.losesMessages && wasRedispatched(world)) {
    wrong.push('what the queue did not accept came again by the sweep only, and not by the stream');
  }
  const calls = [...world.calls.made];
  world.calls.faults = NO_FAULTS;
  wrong.push(...((await scenario.holds?.(world)) ?? []));
  world.leave();
  return { wrong, calls };
}

/** The relay reports what was not accepted, and the stream brings it again at once; the sweep would be late. */
function isRefusedHandOver({ fault, at }: Disturbance, calls: readonly Call[]): boolean {
  return fault === 'refused' && calls[(at ?? 0) - 1]?.process === 'relay';
}

/** One that waits for a slot is looked after by the sweep as well, whatever became of its message. */
function wasRedispatched({ outbox }: World): boolean {
  const times = (image: AttributeMap | undefined) => Number(image?.redispatches?.N ?? 0);
  return outbox.seen.some(
    ({ dynamodb }) =>
      times(dynamodb?.NewImage) > times(dynamodb?.OldImage) && dynamodb?.NewImage?.waiting_for === undefined,
  );
}

function faultsOf(disturbance: Disturbance | undefined): Faults {
  if (!disturbance) return NO_FAULTS;
  const { fault, at } = disturbance;
  return at === undefined ? faultEverywhere(fault) : faultAt(at, fault);
}

/** Of a story with hundreds of calls a long run leaves some out too, so that all of them together take less than an hour. */
const MOST_IN_LONG = 400;

/** Lanes side by side: while one waits for the engine the others go on. */
const LANES = 4;

/** Every disturbance of a scenario, or `most` of them; throws with what was wrong and where. Answers how many. */
export async function runWithFaults(
  engine: TestEngine,
  scenario: Scenario,
  { most = Number.POSITIVE_INFINITY, mostInLong = MOST_IN_LONG } = {},
): Promise<number> {
  const lane = await openLane(engine);
  const plain = await runScenario(lane, scenario);
  lane.close();
  if (plain.wrong.length > 0) throw new Error(`${scenario.name}, undisturbed:\n${plain.wrong.join('\n')}`);
  const left = evenly(disturbances(plain.calls), LONG ? mostInLong : most);
  const count = left.length + 1;
  const reports: string[] = [];
  await Promise.all(
    Array.from({ length: LANES }, async () => {
      let own = await openLane(engine);
      for (let next = left.shift(); next; next = left.shift()) {
        const report = await tellSafely(own, scenario, next, plain.calls);
        if (report === undefined) continue;
        reports.push(report);
        // What is left of a world that went wrong must not trouble the next one.
        own.close();
        own = await openLane(engine);
      }
      own.close();
    }),
  );
  if (reports.length > 0) throw new Error(reports.sort().slice(0, 5).join('\n\n'));
  return count;
}

/** At most so many of a list, spread over all of it. */
function evenly<Item>(list: readonly Item[], most: number): Item[] {
  const step = Math.max(1, list.length / most);
  return list.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step));
}

async function tellSafely(
  lane: Lane,
  scenario: Scenario,
  disturbance: Disturbance,
  calls: readonly Call[],
): Promise<string | undefined> {
  let wrong: string[];
  try {
    wrong = (await runScenario(lane, scenario, disturbance)).wrong;
  } catch (error) {
    wrong = [error instanceof Error ? (error.stack ?? error.message) : String(error)];
  }
  if (wrong.length === 0) return undefined;
  return `${scenario.name}, ${describeDisturbance(disturbance, calls)}:\n  ${wrong.join('\n  ')}`;
}

/** `crash-after at call 12 of 40 (worker UpdateItem)`. */
function describeDisturbance({ fault, at }: Disturbance, calls: readonly Call[]): string {
  const call = calls.find(({ number }) => number === at);
  if (!call) return `${fault} at every call`;
  return `${fault} at call ${at} of ${calls.length} (${call.process} ${call.what})`;
}
