import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { isPunctualError } from '../../../lambdas/core/errors.ts';
import { compileCached } from '../../../lambdas/core/recurrence/index.ts';
import { epochMs } from '../../../lambdas/core/time.ts';
import { DAYS } from './arbitrary.ts';
import { randomFrom, randomText } from './mutate.ts';

/** `FUZZ_COUNT=200000` is the full run; `FUZZ_SEED` tries other texts. */
const COUNT = Number(process.env.FUZZ_COUNT ?? 20_000);
const SEED = Number(process.env.FUZZ_SEED ?? 1);
const LIMIT_MS = 100;

interface Outcome {
  readonly accepted: boolean;
  /** What went wrong; undefined for an answer or a refusal. */
  readonly fault?: string;
}

/** Compiles and asks both ways, from a random instant of eighty centuries, often near a change of clocks. */
function attempt(text: string, zone: string, from: number): Outcome {
  try {
    const recurrence = compileCached(
      { expression: text, timezone: zone },
      { seed: 'g/n', anchor: epochMs(from) },
    );
    const next = recurrence.next(epochMs(from));
    const again = next && recurrence.next(next.at);
    const prev = recurrence.prev(epochMs(from));
    const inOrder = (prev?.at ?? -Infinity) < from && from < (next?.at ?? Infinity);
    if (!inOrder || (again && next && again.at <= next.at)) return { accepted: true, fault: 'out of order' };
    if (recurrence.description === '') return { accepted: true, fault: 'no description' };
    recurrence.warnings(epochMs(from));
    return { accepted: true };
  } catch (error) {
    if (!isPunctualError(error)) return { accepted: false, fault: String(error) };
    const named = error.field === 'expression' && error.message.length < 1_000;
    return named ? { accepted: false } : { accepted: false, fault: `unhelpful: ${error.message}` };
  }
}

function timed(text: string, zone: string, from: number): { outcome: Outcome; millis: number } {
  const start = performance.now();
  const outcome = attempt(text, zone, from);
  return { outcome, millis: performance.now() - start };
}

/** Once more, in two zones whose transitions are not known yet at that time, so that no memory helps. */
function again(text: string, from: number): number[] {
  return ['Europe/Lisbon', 'America/Toronto'].map((zone) => timed(text, zone, from).millis);
}

/** Bytes that are still referred to: garbage is collected first. */
function heldBytes(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}

describe(`${COUNT} random texts`, () => {
  test('are each answered or refused, at once, in bounded memory', { timeout: 1_200_000 }, () => {
    const random = randomFrom(SEED);
    const faults: string[] = [];
    let accepted = 0;
    let slowest = { text: '', millis: 0 };
    let heapAtTenth = 0;
    for (let index = 0; index < COUNT; index += 1) {
      const text = randomText(random);
      const [zone, day] = DAYS[random(DAYS.length)] ?? ['UTC', '2026-01-01'];
      const century = random(4) === 0 ? Date.UTC(1900 + random(8_000), 0, 1) : Date.parse(`${day}T00:00:00Z`);
      const from = century + random(48 * 3_600) * 1_000;
      let { outcome, millis } = timed(text, zone, from);
      // Other work on the machine can stop us for a moment; what is slow is slow again, in any zone not seen yet.
      if (millis > LIMIT_MS / 5) millis = Math.min(millis, ...again(text, from));
      if (millis > slowest.millis) slowest = { text, millis };
      if (outcome.accepted) accepted += 1;
      if (outcome.fault !== undefined)
        faults.push(`${JSON.stringify(text)} ${zone} ${from}: ${outcome.fault}`);
      if (index === Math.floor(COUNT / 10)) heapAtTenth = heldBytes();
    }
    const grown = (heldBytes() - heapAtTenth) / 2 ** 20;
    console.info(
      `${COUNT} texts, ${accepted} accepted, slowest ${slowest.millis.toFixed(1)} ms (${JSON.stringify(slowest.text)}), ` +
        `heap grew ${grown.toFixed(0)} MiB after the first tenth`,
    );
    expect(faults).toEqual([]);
    expect(slowest.millis, slowest.text).toBeLessThan(LIMIT_MS);
    expect(accepted).toBeGreaterThan(COUNT / 20);
    expect(grown).toBeLessThan(96);
  });
});
