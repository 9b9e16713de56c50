import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEngine, type TestEngine } from '../support/engine.ts';
import { backfill, backfillCancelled, backfillPaused } from './scenarios/backfilling.ts';
import { backlogs } from './scenarios/backlogs.ts';
import { decideAhead, decidePlanned } from './scenarios/coming.ts';
import { cancelPending, cancelRunning, replay } from './scenarios/operating.ts';
import { completed, failedLater, pulled, silent } from './scenarios/outside.ts';
import { groupLimit } from './scenarios/overlapping.ts';
import { pausedAfterClaim, pausedUntil, pausesItself } from './scenarios/pausing.ts';
import { nameUsedAfterPurge, nameUsedAgain } from './scenarios/reusing.ts';
import { shardsChange } from './scenarios/sharding.ts';
import { LONG } from './world/runs.ts';
import { byName, runWithFaults, type Scenario } from './world/scenario.ts';

const SCENARIOS: readonly Scenario[] = [
  backfill,
  backfillPaused,
  backfillCancelled,
  cancelRunning,
  decideAhead,
  decidePlanned,
  completed,
  failedLater,
  silent,
  pulled,
  groupLimit,
  pausedUntil,
  pausedAfterClaim,
  pausesItself,
  nameUsedAgain,
  nameUsedAfterPurge,
  shardsChange,
];

/** Of a story with hundreds of occurrences. */
const MOST_OF_BACKLOG = 4;
/** Faults tried of a story, spread over all of it, so that `npm test` stays short; a long run tries every one. */
const MOST = 7;
/** Of a story of which one call is what it is about. */
const MOST_OF_WHICH_ONE_COUNTS = 20;
/** Milliseconds, on a machine that is busy with other things too. */
const timeout = LONG ? 900_000 : 400_000;

let engine: TestEngine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

describe('every invariant holds whichever call goes wrong while people operate, however it does', () => {
  it.each(byName(SCENARIOS))('%s', { timeout }, async (_, scenario) => {
    expect(await runWithFaults(engine, scenario, { most: MOST })).toBeGreaterThan(MOST);
  });

  it.each(byName(LONG ? backlogs : backlogs.slice(0, 1)))('%s', { timeout }, async (_, scenario) => {
    expect(await runWithFaults(engine, scenario, { most: MOST_OF_BACKLOG, mostInLong: 40 })).toBeGreaterThan(
      4,
    );
  });

  // One call in it is what it is about.
  it.each(byName([cancelPending, replay]))('%s', { timeout }, async (_, scenario) => {
    expect(await runWithFaults(engine, scenario, { most: MOST_OF_WHICH_ONE_COUNTS })).toBeGreaterThan(10);
  });
});
