import { occurrenceId } from '../../../lambdas/core/ids.ts';
import type { PendingOccurrence } from '../../../lambdas/core/occurrence/occurrence.ts';
import type { CallResult } from '../../../lambdas/core/ports/target-caller.ts';
import { headRecurrence } from '../../../lambdas/core/schedule/head-recurrence.ts';
import { type EpochMs, epochMs, HOUR, MINUTE } from '../../../lambdas/core/time.ts';
import { type PassDeps, pass } from '../../../lambdas/sweep/pass.ts';
import { report as reportTick } from '../../../lambdas/tick/report.ts';
import { handleMessage } from '../../../lambdas/worker/message.ts';
import { SHARDS, type TestApi, tickAt } from '../../functions/api/api.ts';
import { invoked, type Line } from '../emf.ts';
import { at } from '../fixtures.ts';
import type { Stores } from '../stores.ts';
import { openIn, sweepDeps } from '../sweep.ts';
import { testWorker } from '../worker.ts';
import type { Minute } from './evaluate.ts';

/** What is wrong in a minute. */
export interface Faults {
  /** Does not run. */
  readonly down?: readonly ('tick' | 'worker' | 'sweep')[];
  /** Workers take what is due, and die. */
  readonly workersDie?: boolean;
  /** Schedules that no tick can plan. */
  readonly unplannable?: boolean;
  /** What every target answers; success by default. */
  readonly answer?: CallResult;
  /** Bodies that somebody else sends to the work queue. */
  readonly strays?: readonly string[];
}

const SUCCEEDED: CallResult = { kind: 'succeeded', detail: 'HTTP 200' };

/**
 * The functions of a deployment over the real stores, run once a minute in the order of the pipeline by a clock that
 * is moved. Between the functions stands no stream and no queue: what is due and pending is what workers get.
 */
export function deployment(api: TestApi) {
  const { stores, clock } = api;
  const rejected: string[] = [];

  async function tickOnce(now: EpochMs, faults: Faults): Promise<void> {
    const recurrenceOf: typeof headRecurrence = (head) => {
      if (faults.unplannable) throw new Error('Its times cannot be computed.');
      return headRecurrence(head);
    };
    const result = await tickAt(api, now, { recurrenceOf });
    reportTick(result, { advanced: 0, created: 0, failures: [] }, []);
  }

  async function due(now: EpochMs): Promise<PendingOccurrence[]> {
    const found: PendingOccurrence[] = [];
    for (const shard of SHARDS) {
      const pending = (await openIn(stores.open, shard, now)).filter((one) => one.status === 'pending');
      found.push(...pending.filter(({ pullQueue }) => pullQueue === undefined));
    }
    return found;
  }

  async function workOnce(now: EpochMs, { answer = SUCCEEDED, workersDie, strays = [] }: Faults) {
    const { deps } = testWorker(stores, async () => answer, clock);
    const deadLetters = { reject: async (body: string) => void rejected.push(body) };
    for (const one of await due(now)) {
      const lease = { holder: 'dying', expiresAt: epochMs(now + MINUTE / 2) };
      if (workersDie) await stores.occurrences.claim(one, lease, now);
      else await handleMessage({ ...deps, deadLetters }, bodyOf(one), 'worker');
    }
    for (const body of strays) await handleMessage({ ...deps, deadLetters }, body, 'worker');
  }

  function sweepOnce(now: EpochMs): Promise<void> {
    return pass(passDeps(stores, now), { shards: SHARDS, reissue: false });
  }

  /** Runs the nth minute; answers what was measured in it. `Errors`: invocations that threw, of all functions. */
  async function minute(nth: number, faults: Faults = {}): Promise<Minute> {
    const now = at(nth * MINUTE);
    clock.set(now);
    const up = (name: 'tick' | 'worker' | 'sweep') => !faults.down?.includes(name);
    const steps = [
      up('tick') && (() => tickOnce(now, faults)),
      up('worker') && (() => workOnce(now, faults)),
      up('sweep') && (() => sweepOnce(now)),
    ].filter((step) => step !== false);
    const lines: Line[] = [];
    let errors = 0;
    for (const step of steps) {
      const written = await invoked(async () => {
        try {
          await step();
        } catch {
          errors += 1;
        }
      });
      lines.push(...written);
    }
    return { ...measured(lines), Errors: [errors] };
  }

  return {
    rejected,
    minute,
    async minutes(from: number, count: number, faults?: Faults): Promise<Minute[]> {
      const all: Minute[] = [];
      for (let nth = from; nth < from + count; nth += 1) all.push(await minute(nth, faults));
      return all;
    },
  };
}

/** A sweep that hands nothing over again: nothing is lost on the way to a worker here. */
export function passDeps(stores: Stores, now: EpochMs): PassDeps {
  const terms = { redispatchMs: 9 * HOUR, stopAt: epochMs(now + HOUR) };
  const { schedules, planning, watches } = stores;
  return { ...sweepDeps(stores, () => now, terms), schedules, planning, watches, canary: true };
}

const bodyOf = (one: PendingOccurrence) =>
  JSON.stringify({ id: occurrenceId(one), seq: one.dispatchSeq, dueAt: one.dueAt });

/** The metrics of EMF documents that have no dimension but the deployment. */
function measured(lines: readonly Line[]): Minute {
  const minute: Record<string, number[]> = {};
  for (const line of lines) {
    const [directive] = line._aws?.CloudWatchMetrics ?? [];
    if (directive === undefined || directive.Dimensions[0].join() !== 'service') continue;
    for (const { Name } of directive.Metrics) {
      minute[Name] = [...(minute[Name] ?? []), line[Name]].flat();
    }
  }
  return minute;
}
