import { type EpochMs, SECOND } from '../../../lambdas/core/time.ts';

/** One sweep, and what it takes until those that it hands over have started. */
const LONGEST_IDLE = 72 * SECOND;

/** An occurrence and what it needs, as the tables had it at one moment. */
export interface SlotUser {
  readonly id: string;
  readonly slots: readonly string[];
}

/** The slots at one moment. */
export interface SlotState {
  readonly now: EpochMs;
  readonly running: readonly SlotUser[];
  /** Those that wait for a slot, could start otherwise, and that somebody looks after. */
  readonly waiting: readonly SlotUser[];
  /** The smallest limit that may be in force; undefined: none. */
  readonly limitOf: (slot: string) => number | undefined;
}

/** Invariant 10, seen at one moment after the other: no place stands free for long while somebody waits for it. */
export class IdleSlots {
  readonly faults: string[] = [];
  /** Since when a slot has room for somebody who waits, and nobody came to run in it. */
  readonly #since = new Map<string, EpochMs>();
  #ran: ReadonlySet<string> = new Set();

  look({ now, running, waiting, limitOf }: SlotState): void {
    const started = running.filter(({ id }) => !this.#ran.has(id)).flatMap(({ slots }) => slots);
    this.#ran = new Set(running.map(({ id }) => id));
    const hasRoom = (slot: string) => {
      const limit = limitOf(slot);
      return limit === undefined || running.filter(({ slots }) => slots.includes(slot)).length < limit;
    };
    // One that needs a second slot, which is full, could not take the first.
    const able = waiting.filter(({ slots }) => slots.every(hasRoom));
    const wanted = new Map(able.flatMap(({ id, slots }) => slots.map((slot) => [slot, id] as const)));
    for (const slot of this.#since.keys())
      if (!wanted.has(slot) || started.includes(slot)) this.#since.delete(slot);
    for (const [slot, id] of wanted) {
      const since = this.#since.get(slot) ?? now;
      this.#since.set(slot, since);
      const seconds = (now - since) / SECOND;
      if (now - since > LONGEST_IDLE)
        this.faults.push(`slot ${slot} has stood free for ${seconds} s while ${id} waited`);
    }
  }

  /** Something was away, or died: from here on a minute counts anew. */
  forget(): void {
    this.#since.clear();
  }
}

/** Limits from what reached targets: how many of a slot were under way when one more began. */
export class SlotHolders {
  readonly faults: string[] = [];
  readonly #begun = new Map<string, { readonly id: string; readonly runs: () => Promise<boolean> }[]>();

  /** `runs`: whether the attempt is under way still, by its record. */
  async begin(
    id: string,
    needs: readonly { readonly slot: string; readonly limit: number }[],
    runs: () => Promise<boolean>,
  ): Promise<void> {
    for (const { slot, limit } of needs) {
      const before = this.#begun.get(slot) ?? [];
      this.#begun.set(slot, [...before, { id, runs }]);
      // All of them together are not too many. To read each at each start would be thousands of reads at once.
      if (before.length < limit) continue;
      const still = await Promise.all(before.map((one) => one.runs()));
      const ended = new Set(before.filter((_, index) => !still[index]));
      // Others may have begun while that was read.
      this.#begun.set(slot, this.#begun.get(slot)?.filter((one) => !ended.has(one)) ?? []);
      const left = before.filter((one) => !ended.has(one));
      if (left.length < limit) continue;
      const some = left.slice(-3).map((one) => one.id);
      const others = `${left.length} others, among them ${some.join(', ')}`;
      this.faults.push(`${id} was called in slot ${slot} of ${limit} beside ${others}`);
    }
  }
}
