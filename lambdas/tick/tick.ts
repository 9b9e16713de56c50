import pMap from 'p-map';
import type { ScheduleId } from '../core/ids.ts';
import { isCatchUp } from '../core/occurrence/notes.ts';
import { planWake } from '../core/pause/pause-plan.ts';
import { LEAST_MISFIRE_THRESHOLD } from '../core/planning/catch-up.ts';
import { type CatchUpTally, runsOf, withRuns } from '../core/planning/catch-up-tally.ts';
import { MAX_OCCURRENCES_PER_PLAN, type Plan, plan } from '../core/planning/planner.ts';
import type { CatchUpTallies } from '../core/ports/catch-up-tallies.ts';
import type { Materialisation, PlanningStore } from '../core/ports/planning-store.ts';
import type { ScheduleHead } from '../core/schedule/head.ts';
import { type EpochMs, epochMs, SECOND } from '../core/time.ts';
import { type RetireDeps, retireHeads } from './retire-completed.ts';
import { dueByZones, followZones, type ZoneDeps } from './zones.ts';

/** Longer than a tick may take; a scanner that died gives its shard up before the next tick but one. */
const SHARD_LEASE = 55 * SECOND;
/** Shards scanned side by side by one invocation. */
const SHARD_CONCURRENCY = 4;
/** Plans of one schedule in one tick; each may hold 90 occurrences, so a backlog is worked off in pieces. */
const MAX_ROUNDS = 8;
/** Schedules that are planned and written together when they come again; the index gives as many. */
const PAGE = 100;
/** Schedules of a shard whose turn comes when time is up already: so few take no time, and each tick gets further. */
const LEAST_OF_PAGE = 10;

export interface TickDeps extends RetireDeps, ZoneDeps {
  readonly store: PlanningStore;
  readonly occurrences: RetireDeps['occurrences'] &
    ZoneDeps['occurrences'] &
    Pick<CatchUpTallies, 'readTallies'>;
  /** Milliseconds ahead of now that the index is queried and that is materialised. */
  readonly lead: number;
  readonly planWindow: number;
  /** Names this scanner in shard leases. */
  readonly holder: string;
  /** No schedule is planned after this; what is left is overdue for the next tick, which finds it first. */
  readonly stopAt: EpochMs;
  readonly now: () => EpochMs;
}

export interface TickResult {
  readonly scanned: number;
  /** Shards that another scanner holds, or that time ran out for. */
  readonly leftOver: number;
  readonly materialised: number;
  /** Nominal times that catch-up left out. */
  readonly coalesced: number;
  readonly lostRaces: number;
  /** Completed schedules that were deleted, as they had asked. */
  readonly retired: number;
  /** Seconds behind now of the oldest schedule found: how late planning is. */
  readonly lagSeconds: number;
  /** Schedules whose next time was moved by other zone data. */
  readonly rezoned: number;
  /** Schedules whose times take so long to find that a plan of theirs was cut short; they go on in the next. */
  readonly costly: readonly ScheduleId[];
  readonly failures: readonly { readonly schedule: ScheduleId; readonly error: unknown }[];
}

/** Materialises what is due in `shards`. */
export async function tick(deps: TickDeps, shards: readonly number[]): Promise<TickResult> {
  const results = await pMap(shards, (shard) => tickShard(deps, shard), { concurrency: SHARD_CONCURRENCY });
  return results.reduce(merge, EMPTY);
}

const EMPTY: TickResult = {
  scanned: 0,
  leftOver: 0,
  materialised: 0,
  coalesced: 0,
  lostRaces: 0,
  retired: 0,
  lagSeconds: 0,
  rezoned: 0,
  costly: [],
  failures: [],
};

function merge(a: TickResult, b: TickResult): TickResult {
  return {
    scanned: a.scanned + b.scanned,
    leftOver: a.leftOver + b.leftOver,
    materialised: a.materialised + b.materialised,
    coalesced: a.coalesced + b.coalesced,
    lostRaces: a.lostRaces + b.lostRaces,
    retired: a.retired + b.retired,
    lagSeconds: Math.max(a.lagSeconds, b.lagSeconds),
    rezoned: a.rezoned + b.rezoned,
    costly: [...new Set([...a.costly, ...b.costly])],
    failures: [...a.failures, ...b.failures],
  };
}

async function tickShard(deps: TickDeps, shard: number): Promise<TickResult> {
  const now = deps.now();
  const lease = { holder: deps.holder, expiresAt: epochMs(now + SHARD_LEASE) };
  if (!(await deps.store.acquireShard(shard, lease, now))) return { ...EMPTY, leftOver: 1 };

  const until = epochMs(now + deps.lead);
  let result = EMPTY;
  let finished = false;
  try {
    const { moved: rezoned, failures } = await followZones(deps, shard, now);
    result = merge(result, { ...EMPTY, rezoned, failures });
    let again: ScheduleHead[] = [];
    let outOfTime = false;
    for await (const heads of deps.store.dueHeads(shard, until)) {
      // Nobody waits for a completed one to be deleted.
      const waiting = heads.filter(({ state }) => state !== 'completed');
      const oldest = Math.min(now, ...waiting.map((head) => head.nextDueAt ?? now));
      const lagSeconds = (now - oldest) / SECOND;
      const { due, failures } = await dueByZones(deps, heads, now, until);
      const planned = await materialiseHeads(deps, due, now, until);
      result = merge(merge(result, planned.result), { ...EMPTY, lagSeconds, failures });
      result = merge(result, { ...EMPTY, ...(await retireHeads(deps, heads, now)) });
      again.push(...planned.again);
      outOfTime = deps.now() >= deps.stopAt;
      if (outOfTime) break;
    }
    // Each schedule of the shard once before any of them a second time: one group's backlog of an outage is
    // older than what others have coming up, and would keep the tick to itself, minute after minute.
    for (let round = 1; round < MAX_ROUNDS && again.length > 0 && !outOfTime; round += 1) {
      const pages = pagesOf(again);
      again = [];
      for (const heads of pages) {
        const planned = await materialiseHeads(deps, heads, now, until);
        result = merge(result, planned.result);
        again.push(...planned.again);
        outOfTime = deps.now() >= deps.stopAt;
        if (outOfTime) break;
      }
    }
    finished = !outOfTime;
  } finally {
    await deps.store.releaseShard(shard, deps.holder, finished ? until : null);
  }
  return merge(result, { ...EMPTY, scanned: 1, leftOver: finished ? 0 : 1 });
}

function pagesOf(heads: readonly ScheduleHead[]): ScheduleHead[][] {
  return Array.from({ length: Math.ceil(heads.length / PAGE) }, (_, index) =>
    heads.slice(index * PAGE, (index + 1) * PAGE),
  );
}

/** Plans each once, while there is time, and writes it; `again` are those that are still due within the lead. */
async function materialiseHeads(
  deps: TickDeps,
  heads: readonly ScheduleHead[],
  now: EpochMs,
  until: EpochMs,
): Promise<{ readonly result: TickResult; readonly again: readonly ScheduleHead[] }> {
  const tallies = await deps.occurrences.readTallies(
    heads.filter((head) => isTallied(head, now)).map(({ id }) => id),
  );
  const { plans, costly, failures } = planHeads(deps, heads, tallies, now);
  const outcomes = await deps.store.materialise(plans, now);
  const again: ScheduleHead[] = [];
  const faults = [...failures];
  let materialised = 0;
  let coalesced = 0;
  let lostRaces = 0;
  for (const [index, outcome] of outcomes.entries()) {
    const planned = plans[index];
    if (!planned) continue;
    if (outcome.kind === 'materialised') {
      materialised += planned.create.length;
      coalesced += leftOut(planned);
      const { nextDueAt } = planned;
      if (nextDueAt !== null && nextDueAt <= until) again.push(advancedTo(planned, nextDueAt));
    } else if (outcome.kind === 'lost-race') lostRaces += 1;
    else faults.push({ schedule: planned.head.id, error: outcome.error });
  }
  return { result: { ...EMPTY, materialised, coalesced, lostRaces, costly, failures: faults }, again };
}

/** Whether it may have late times of which an outage runs a few (catch-up-tally.ts). Nothing of this is asked on time. */
function isTallied({ nextDueAt, policy, makingUp }: ScheduleHead, now: EpochMs): boolean {
  const late = nextDueAt !== null && nextDueAt < now - LEAST_MISFIRE_THRESHOLD;
  return late && policy.catchUp.mode === 'all' && (makingUp === undefined || nextDueAt > makingUp.asOf);
}

/** A schedule that cannot be planned is reported and left; the others of its page are not held up by it. */
function planHeads(
  deps: TickDeps,
  heads: readonly ScheduleHead[],
  tallies: ReadonlyMap<ScheduleId, CatchUpTally>,
  now: EpochMs,
) {
  const plans: Materialisation[] = [];
  const costly: ScheduleId[] = [];
  const failures: { schedule: ScheduleId; error: unknown }[] = [];
  const least = deps.now() >= deps.stopAt ? LEAST_OF_PAGE : 1;
  for (const [index, head] of heads.entries()) {
    // A function that is stopped in the middle of a page has written nothing of it.
    if (index >= least && deps.now() >= deps.stopAt) break;
    if (head.nextDueAt === null || head.state === 'completed') continue;
    try {
      const seen = tallies.get(head.id);
      const {
        occurrences,
        costly: isCostly,
        ...planned
      } = planHead(deps, head, head.nextDueAt, runsOf(seen, now).length, now);
      const late = isTallied(head, now)
        ? occurrences.filter(isCatchUp).map(({ scheduledTime }) => scheduledTime)
        : [];
      if (isCostly) costly.push(head.id);
      plans.push({
        head,
        create: occurrences,
        ...planned,
        zoneData: deps.zoneData,
        ...(late.length > 0 && { tally: withRuns(seen, late, now) }),
      });
    } catch (error) {
      failures.push({ schedule: head.id, error });
    }
  }
  return { plans, costly, failures };
}

function planHead(deps: TickDeps, head: ScheduleHead, nextDueAt: EpochMs, spent: number, now: EpochMs): Plan {
  const recurrence = deps.recurrenceOf(head);
  const limits = { planWindow: deps.planWindow, maxOccurrences: MAX_OCCURRENCES_PER_PLAN };
  // Of a paused one it is the time that its pause ends.
  if (head.state === 'paused') return planWake(head, nextDueAt, recurrence, now, limits, spent);
  const { id: schedule, revision, policy, remainingRuns, makingUp } = head;
  const standing = { schedule, revision, policy, recurrence, nextDueAt, remainingRuns, makingUp };
  return plan({ ...standing, spent, now, limits });
}

function leftOut({ records }: Materialisation): number {
  const caughtUp = records.filter(({ reason }) => reason === 'catch-up');
  return caughtUp.reduce((sum, { coalesced }) => sum + coalesced.count, 0);
}

/** As the store has left it: paused no longer. */
function advancedTo({ head, remainingRuns }: Materialisation, nextDueAt: EpochMs): ScheduleHead {
  const { pause: _, ...awake } = head;
  return {
    ...awake,
    state: 'enabled',
    nextDueAt,
    ...(remainingRuns !== undefined && { remainingRuns }),
  };
}
