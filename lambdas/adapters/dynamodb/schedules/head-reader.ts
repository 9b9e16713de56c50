import { LRUCache } from 'lru-cache';
import type { CalendarDefinition } from '../../../core/recurrence/index.ts';
import type { PinnedCalendar } from '../../../core/schedule/calendar.ts';
import { type PlanningPolicy, planningPolicy, type ScheduleHead } from '../../../core/schedule/head.ts';
import type { Revision } from '../../../core/schedule/revision.ts';
import { batchGet } from '../batch-get.ts';
import { calendarDefinitionOf, calendarVersionKey, pinOf } from '../calendars/calendar-items.ts';
import type { StoreContext } from '../client.ts';
import type { Item } from '../item.ts';
import { type ItemKey, revisionKey, scheduleIdOf } from '../keys.ts';
import { headOf, isSpecInRevision, pinsIn, revisionOf } from './head-items.ts';

/** Versions of calendars kept in a warm function; one of a country's holidays is a few kilobytes. */
const MAX_CALENDARS = 200;
/** Policies that were too long for their heads. */
const MAX_POLICIES = 1_000;

/** Reads what heads and revisions refer to. None of it ever changes, so a warm function reads each once. */
export interface WholeHeads {
  heads(items: readonly Item[]): Promise<ScheduleHead[]>;
  revisions(items: readonly Item[]): Promise<Revision[]>;
  calendars(pins: readonly string[]): Promise<ReadonlyMap<string, PinnedCalendar>>;
}

export function createWholeHeads(context: Pick<StoreContext, 'client' | 'schedulesTable'>): WholeHeads {
  const versions = new LRUCache<string, CalendarDefinition>({ max: MAX_CALENDARS });
  const policies = new LRUCache<string, PlanningPolicy>({ max: MAX_POLICIES });

  const read = (keys: readonly ItemKey[]) => batchGet(context.client, context.schedulesTable, keys);

  async function calendars(pins: readonly string[]): Promise<ReadonlyMap<string, PinnedCalendar>> {
    const found = new Map<string, PinnedCalendar>();
    const unknown = new Map<string, string>();
    for (const text of new Set(pins)) {
      const pin = pinOf(text);
      const definition = versions.get(text);
      if (definition) found.set(text, { ...pin, definition });
      else unknown.set(keyText(calendarVersionKey(pin.name, pin.version)), text);
    }
    if (unknown.size === 0) return found;
    const keys = [...unknown.values()].map(pinOf).map((pin) => calendarVersionKey(pin.name, pin.version));
    for (const item of await read(keys)) {
      const text = unknown.get(keyText(item as unknown as ItemKey));
      if (text === undefined) continue;
      const definition = calendarDefinitionOf(item);
      versions.set(text, definition);
      found.set(text, { ...pinOf(text), definition });
    }
    return found;
  }

  async function revisions(items: readonly Item[]): Promise<Revision[]> {
    const known = await calendars(items.flatMap(pinsIn));
    return items.map((item) => revisionOf(item, known));
  }

  /** Policies of the heads that say only where theirs is, by the key of the revision. */
  async function longPolicies(items: readonly Item[]): Promise<ReadonlyMap<string, PlanningPolicy>> {
    const found = new Map<string, PlanningPolicy>();
    const unknown: ItemKey[] = [];
    for (const item of items.filter(isSpecInRevision)) {
      const key = revisionKeyOf(item);
      const policy = policies.get(keyText(key));
      if (policy) found.set(keyText(key), policy);
      else unknown.push(key);
    }
    if (unknown.length === 0) return found;
    for (const revision of await revisions(await read(unknown))) {
      const text = keyText(revisionKey(revision.schedule, revision.revision));
      const policy = planningPolicy(revision.definition, revision.calendars);
      policies.set(text, policy);
      found.set(text, policy);
    }
    return found;
  }

  return {
    calendars,
    revisions,
    async heads(items) {
      const [long, known] = await Promise.all([longPolicies(items), calendars(items.flatMap(pinsIn))]);
      return items.map((item) => headOf(item, known, long.get(keyText(revisionKeyOf(item)))));
    },
  };
}

function revisionKeyOf(head: Item): ItemKey {
  return revisionKey(scheduleIdOf(head.pk as string), head.revision as number);
}

function keyText({ pk, sk }: ItemKey): string {
  return `${pk} ${sk}`;
}
