import type { Backfill } from '../../../lambdas/core/backfill/backfill.ts';
import type { OccurrenceId, ScheduleId } from '../../../lambdas/core/ids.ts';
import type { ScheduleHead } from '../../../lambdas/core/schedule/head.ts';
import { type EpochMs, HOUR } from '../../../lambdas/core/time.ts';
import type { Observer } from '../world/observer.ts';
import type { Triggers } from './triggers.ts';

/** The API remembers a key for a day, by its own clock. */
const KEY_REMEMBERED = 23 * HOUR;

/** A version of a schedule: what it was from `from` on, until the next one. */
export interface Era {
  readonly order: number;
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

/** A change of a backfill that was answered. */
export interface ReturnedBackfill {
  readonly order: number;
  readonly backfill: Backfill;
}

/** What clients did to the schedules of a world, as the tables had it after each step. */
export class History {
  readonly eras = new Map<ScheduleId, Era[]>();
  readonly returned = new Map<ScheduleId, Returned[]>();
  readonly returnedBackfills: ReturnedBackfill[] = [];
  /** Replays that clients asked for, answered or not. */
  readonly replaysAsked = new Map<OccurrenceId, number>();
  /** Schedules of which a client asked to make up for missed times, by a policy of the moment. */
  readonly askedToMakeUp = new Set<ScheduleId>();
  readonly #triggers = new Map<ScheduleId, Triggers>();
  readonly #triggerKeys = new Map<string, EpochMs>();
  readonly #changeThemselves = new Set<ScheduleId>();
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

  /** Of a schedule that pauses or resumes without a client: it has to be looked at again and again. */
  mayChangeItself(id: ScheduleId): void {
    this.#changeThemselves.add(id);
  }

  /** Before a request, since one that is not answered may be carried out. */
  askedToTrigger(id: ScheduleId, idempotencyKey: string | undefined, now: EpochMs): void {
    const key = `${id}#${idempotencyKey}`;
    const before = idempotencyKey === undefined ? undefined : this.#triggerKeys.get(key);
    if (before !== undefined && now < before + KEY_REMEMBERED) return;
    this.#triggerKeys.set(key, now);
    this.triggersOf(id).asked += 1;
  }

  triggersOf(id: ScheduleId): Triggers {
    const known = this.#triggers.get(id) ?? { asked: 0, answered: new Set() };
    this.#triggers.set(id, known);
    return known;
  }

  /** Requests are on their way that arrive late, so that nothing is known unless it is looked at. */
  mayAllChange(limits: { unsettled: boolean }): void {
    for (const id of this.schedules) this.#changeThemselves.add(id);
    limits.unsettled = true;
  }

  askedToReplay(id: OccurrenceId): void {
    this.replaysAsked.set(id, (this.replaysAsked.get(id) ?? 0) + 1);
  }

  answeredBackfill(backfill: Backfill): void {
    this.returnedBackfills.push({ order: this.#nextOrder(), backfill });
  }

  /** To be called after each change, answered or not: one whose caller died may have happened all the same. */
  async look(id: ScheduleId): Promise<ScheduleHead | undefined> {
    this.know(id);
    // Before the look: what is claimed while it is under way came after the change.
    const order = this.#nextOrder();
    const head = await this.#observer.head(id);
    const eras = this.eras.get(id) ?? [];
    const last = eras.at(-1)?.head;
    // Versions may begin again once a name was given up and its tombstone is gone.
    if (head && (head.version !== last?.version || head.createdAt !== last.createdAt)) {
      const { version, revision, state, updatedAt: from } = head;
      eras.push({ order, version, revision, state, from, head });
      this.returned.set(id, [...(this.returned.get(id) ?? []), { order, head }]);
    }
    return head;
  }

  /** To be called after each invocation of a function. */
  async lookAtChanging(): Promise<void> {
    for (const id of this.#changeThemselves) await this.look(id);
  }
}
