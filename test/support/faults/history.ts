import type { ScheduleId } from '../../../lambdas/core/ids.ts';
import type { ScheduleHead } from '../../../lambdas/core/schedule.ts';
import type { EpochMs } from '../../../lambdas/core/time.ts';
import type { Observer } from './observer.ts';

/** A version of a schedule: what it was from `from` on, until the next one. */
export interface Era {
  readonly version: number;
  readonly revision: number;
  readonly state: ScheduleHead['state'];
  readonly from: EpochMs;
  readonly head: ScheduleHead;
}

/** A change that is known to have happened: from here on nothing of before may start, except what ran already. */
export interface Returned {
  readonly order: number;
  readonly head: ScheduleHead;
}

/** What clients did to the schedules of a world, as the tables had it after each step. */
export class History {
  readonly eras = new Map<ScheduleId, Era[]>();
  readonly returned = new Map<ScheduleId, Returned[]>();
  readonly #observer: Observer;
  readonly #nextOrder: () => number;

  constructor(observer: Observer, nextOrder: () => number) {
    this.#observer = observer;
    this.#nextOrder = nextOrder;
  }

  get schedules(): ScheduleId[] {
    return [...this.eras.keys()];
  }

  know(id: ScheduleId): void {
    if (!this.eras.has(id)) this.eras.set(id, []);
  }

  /** To be called after each change, answered or not: one whose caller died may have happened all the same. */
  async look(id: ScheduleId): Promise<ScheduleHead | undefined> {
    this.know(id);
    // Before the look: what is claimed while it is under way came after the change.
    const order = this.#nextOrder();
    const head = await this.#observer.head(id);
    const eras = this.eras.get(id) ?? [];
    if (head && head.version !== eras.at(-1)?.version) {
      const { version, revision, state, updatedAt: from } = head;
      eras.push({ version, revision, state, from, head });
      this.returned.set(id, [...(this.returned.get(id) ?? []), { order, head }]);
    }
    return head;
  }
}
