import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEngine, type TestEngine } from '../support/engine.ts';
import {
  deleteWithPending,
  editDuringMaterialise,
  pauseAfterClaim,
  pauseDuringClaim,
  tickDuringEdit,
} from './scenarios/changing.ts';
import { lateRenewal, lateWorker, leaseExpiry } from './scenarios/leases.ts';
import { overlaps } from './scenarios/overlapping.ts';
import { catchUp, lateStart, triggerManually, twoTicks } from './scenarios/planning.ts';
import { fireOnce, lostQueue, oldMessage, twoRetries } from './scenarios/running.ts';
import { watchedFailure, watchedSuccess } from './scenarios/watching.ts';
import { LONG } from './world/runs.ts';
import { byName, runWithFaults, type Scenario } from './world/scenario.ts';

const SCENARIOS: readonly Scenario[] = [
  fireOnce,
  twoRetries,
  oldMessage,
  lostQueue,
  leaseExpiry,
  lateStart,
  editDuringMaterialise,
  tickDuringEdit,
  pauseDuringClaim,
  pauseAfterClaim,
  deleteWithPending,
  catchUp,
  triggerManually,
];

/** Faults tried of a story, spread over all of it, so that `npm test` stays short; a long run tries every one. */
const MOST = 10;
/** Of a story with hundreds of calls. */
const MOST_OF_LONG = 10;
/** Of a story of which one call is what it is about. */
const MOST_OF_WHICH_ONE_COUNTS = 20;
/** Milliseconds, on a machine that is busy with other things too. */
const timeout = LONG ? 900_000 : 400_000;

let engine: TestEngine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

describe('every invariant holds whichever call goes wrong, however it does', () => {
  it.each(byName(SCENARIOS))('%s', { timeout }, async (_, scenario) => {
    expect(await runWithFaults(engine, scenario, { most: MOST })).toBeGreaterThan(MOST);
  });

  // One call in it is what it is about.
  it.each(byName([watchedSuccess, watchedFailure]))('%s', { timeout }, async (_, scenario) => {
    expect(await runWithFaults(engine, scenario, { most: MOST_OF_WHICH_ONE_COUNTS })).toBeGreaterThan(10);
  });

  it.each(byName([lateWorker, lateRenewal, twoTicks, ...overlaps]))(
    '%s',
    { timeout },
    async (_, scenario) => {
      expect(await runWithFaults(engine, scenario, { most: MOST_OF_LONG })).toBeGreaterThan(10);
    },
  );
});
