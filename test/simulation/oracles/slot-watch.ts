import { occurrenceKeyOf } from '../../../lambdas/adapters/dynamodb/keys.ts';
import type { Backfill } from '../../../lambdas/core/backfill/backfill.ts';
import {
  occurrenceId,
  parseOccurrenceId,
  type ScheduleId,
  splitScheduleId,
} from '../../../lambdas/core/ids.ts';
import { isAdopted, whyNotInForce } from '../../../lambdas/core/occurrence/in-force.ts';
import type { Definition } from '../../../lambdas/core/schedule/definition.ts';
import type { ScheduleHead } from '../../../lambdas/core/schedule/head.ts';
import type { SlotNeed } from '../../../lambdas/core/slots/needs.ts';
import { type EpochMs, SECOND } from '../../../lambdas/core/time.ts';
import type { Item, Observer } from '../world/observer.ts';
import type { TargetCall } from '../world/target.ts';
import { GroupLimits } from './limits.ts';
import { IdleSlots, SlotHolders, type SlotUser } from './slots.ts';
import { keptSlots, needsOf, waitsFor } from './slots-read.ts';

interface WatchDeps {
  readonly observer: Observer;
  readonly now: () => EpochMs;
  readonly schedules: () => readonly ScheduleId[];
}

/** What the tables of a world say of its slots, for the oracles of slots.ts. */
export class SlotWatch {
  readonly limits = new GroupLimits();
  readonly #idle = new IdleSlots();
  readonly #holders = new SlotHolders();
  readonly #definitions = new Map<string, Definition>();
  readonly #deps: WatchDeps;

  constructor(deps: WatchDeps) {
    this.#deps = deps;
  }

  get faults(): readonly string[] {
    return [...this.#idle.faults, ...this.#holders.faults];
  }

  /** An attempt has reached its target. */
  async called({ invocation: { id, schedule, fencingToken }, item }: TargetCall): Promise<void> {
    const key = parseOccurrenceId(id);
    if (!item || !key) return;
    const backfills = key.kind === 'backfill' ? await this.#deps.observer.backfills(schedule) : [];
    const needs = await this.#needsOf(item, await this.#deps.observer.head(schedule), backfills, 'most');
    await this.#holders.begin(`${id}#${fencingToken}`, needs, async () => {
      const now = await this.#deps.observer.occurrence(key);
      return now?.status === 'running' && now.fencing_token === fencingToken;
    });
  }

  /** Looks whether a place is free that somebody waits for; to be called again and again while all parts are there. */
  async look(): Promise<void> {
    const { observer, now, schedules } = this.#deps;
    const limits = new Map<string, number>();
    const running: SlotUser[] = [];
    const waiting: SlotUser[] = [];
    for (const id of schedules()) {
      const items = await observer.occurrences(id);
      const open = items.filter(({ status }) => status === 'pending' || status === 'running');
      if (open.length === 0) continue;
      const [head, backfills] = await Promise.all([observer.head(id), observer.backfills(id)]);
      for (const item of open) {
        const needs = await this.#needsOf(item, head, backfills, 'least');
        for (const { slot, limit } of needs) limits.set(slot, Math.min(limit, limits.get(slot) ?? limit));
        const key = occurrenceKeyOf(item as never);
        const user = { id: occurrenceId(key), slots: needs.map(({ slot }) => slot) };
        const kept = keptSlots(item);
        if (item.status === 'running') running.push(user);
        else if (kept.length > 0) running.push({ ...user, slots: kept });
        const isInForce = whyNotInForce({ ...key, ...replays(item) }, head) === null;
        if (isInForce && isEligible(item, now()))
          waiting.push({ ...user, slots: user.slots.filter((slot) => !kept.includes(slot)) });
      }
    }
    this.#idle.look({ now: now(), running, waiting, limitOf: (slot) => limits.get(slot) });
  }

  forget(): void {
    this.#idle.forget();
  }

  async #needsOf(
    item: Item,
    head: ScheduleHead | undefined,
    backfills: readonly Backfill[],
    which: 'most' | 'least',
  ): Promise<SlotNeed[]> {
    const key = occurrenceKeyOf(item as never);
    const { schedule } = key;
    const goesOn = head !== undefined && isAdopted({ ...key, ...replays(item) }, head);
    const definition = await this.#definition(schedule, goesOn ? head.revision : key.revision);
    if (!definition) return [];
    const limit = this.limits.at(splitScheduleId(schedule).group, this.#deps.now())[which];
    return needsOf(item, definition, limit, backfills);
  }

  async #definition(schedule: ScheduleId, revision: number): Promise<Definition | undefined> {
    const known = this.#definitions.get(`${schedule}#${revision}`);
    if (known) return known;
    for (const found of await this.#deps.observer.revisions(schedule))
      this.#definitions.set(`${schedule}#${found.revision}`, found.definition);
    return this.#definitions.get(`${schedule}#${revision}`);
  }
}

const replays = ({ replays: count }: Item) => (count === undefined ? {} : { replays: count as number });

/** It waits for a slot and nothing else: outside workers come when they come. */
function isEligible(item: Item, now: EpochMs): boolean {
  const startBy = (item.start_by as number | undefined) ?? Number.POSITIVE_INFINITY;
  const isDue = (item.due_at as number) <= now - SECOND && startBy > now;
  return item.status === 'pending' && isDue && waitsFor(item) !== undefined && item.pull_queue === undefined;
}
