import { setTimeout as sleep } from 'node:timers/promises';
import { interrupted } from './interruption.ts';

const EVERY_MS = 100;

/** Asks again until there is an answer; after `withinMs` it says what was waited for and `seen`, the last sight of it. */
export async function until<Answer>(
  what: string,
  withinMs: number,
  ask: () => Promise<Answer | undefined> | Answer | undefined,
  seen: () => unknown = () => undefined,
): Promise<Answer> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    interrupted.throwIfAborted();
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (Date.now() > deadline) {
      const sight = seen();
      const detail = sight === undefined ? '' : `; seen last: ${JSON.stringify(sight)}`;
      throw new Error(`${what}: not within ${Math.round(withinMs / 1_000)} s${detail}`);
    }
    await sleep(EVERY_MS);
  }
}
