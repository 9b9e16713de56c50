import type { Definition } from '../../../lambdas/core/schedule/definition.ts';
import { scheduled } from '../scenarios/definitions.ts';
import type { World } from '../world/world.ts';

/** What a schedule should be after the commands so far; a schedule of each name exists at most once. */
export interface Expected {
  state: 'absent' | 'enabled' | 'paused' | 'deleted';
  /** Its pause ends by itself. */
  mayWake: boolean;
  revision: number;
  plan: PlanName;
}

/** The whole model: the few facts about a schedule that every command can foretell. */
export type Model = Record<Name, Expected>;

export const NAMES = ['a', 'b'] as const;
export type Name = (typeof NAMES)[number];

const SHORT_RETRY = { initialDelay: 'PT5S', factor: 2, maxDelay: 'PT20S', jitter: 0.2, maxAge: 'PT10M' };

/** Schedules that fire often, so that a few commands meet a few times. No two have the same expression (`adopt`). */
export const PLANS = {
  'each minute': scheduled('* * * * *', { expectSuccessWithin: 'PT2M' }),
  'each 20 s, skip': scheduled('*/20 * * * * *', { overlap: 'skip' }),
  'each 30 s, catch up': scheduled('*/30 * * * * *', {
    retry: { maxAttempts: 1, ...SHORT_RETRY },
    catchUp: { mode: 'all', maxAge: 'PT5M', maxRuns: 3, spreadOver: 'PT30S' },
  }),
  'each 30 s, deadline': scheduled('15,45 * * * * *', { startDeadline: 'PT20S' }),
  'each 20 s, in line': scheduled('10-59/20 * * * * *', {
    overlap: 'buffer-one',
    concurrency: { key: 'shared', limit: 1 },
    retry: { maxAttempts: 2, ...SHORT_RETRY },
  }),
  'each 20 s, all in line': scheduled('5-59/20 * * * * *', {
    overlap: 'buffer-all',
    concurrency: { key: 'shared', limit: 3 },
    retention: 'P1D',
  }),
  'each 40 s, newest': scheduled('every PT40S', { overlap: 'cancel-other', retention: 'P1D' }),
  'each 30 s, by pull': scheduled('3,33 * * * * *', {
    target: { kind: 'pull', queue: 'shared' },
    overlap: 'skip',
    heartbeatTimeout: 'PT45S',
  }),
  'each 30 s, by a calendar': scheduled('7,37 * * * * *', { calendars: ['shared'] }),
} satisfies Record<string, Definition>;

export type PlanName = keyof typeof PLANS;

export function nothingYet(): Model {
  return Object.fromEntries(NAMES.map((name) => [name, absent()])) as Model;
}

const absent = (): Expected => ({ state: 'absent', mayWake: false, revision: 0, plan: 'each minute' });

/** Concurrency keys, queues and calendars hold across schedules, and worlds share tables. */
export function planOf(world: World, plan: PlanName): Definition {
  const definition: Definition = PLANS[plan];
  const { concurrency, target, calendars } = definition;
  return {
    ...definition,
    ...(concurrency && { concurrency: { ...concurrency, key: `${world.id('key')}-${concurrency.limit}` } }),
    ...(target.kind === 'pull' && { target: { ...target, queue: world.group } }),
    ...(calendars && { calendars: [calendarOf(world)] }),
  };
}

export const calendarOf = (world: World): string => `closed-${world.group}`;

/** After a request that was not answered: it was carried out, or it was not. The model takes what is there. */
export async function adopt(model: Model, name: Name, world: World): Promise<void> {
  const head = await world.history.look(world.id(name));
  const expected = model[name];
  if (!head) return;
  expected.revision = head.revision;
  expected.state = head.state === 'completed' ? 'enabled' : head.state;
  expected.mayWake = head.pause?.until !== undefined;
  const revisions = await world.observer.revisions(world.id(name));
  const expression = revisions.find(({ revision }) => revision === head.revision)?.definition.expression;
  const plan = Object.entries(PLANS).find(([, definition]) => definition.expression === expression)?.[0];
  if (plan !== undefined) expected.plan = plan as PlanName;
}

export async function assertAsExpected(model: Model, name: Name, world: World): Promise<void> {
  const head = await world.history.look(world.id(name));
  const { state, revision, mayWake } = model[name];
  const found = head === undefined ? 'absent' : head.state === 'completed' ? 'enabled' : head.state;
  if (mayWake && found === 'enabled') model[name].state = found;
  if (found === model[name].state && (head?.revision ?? 0) === revision) return;
  throw new Error(`${name} is ${found} at revision ${head?.revision}; it should be ${state} at ${revision}.`);
}
