import pMap from 'p-map';
import { type OccurrenceId, occurrenceId, parseOccurrenceId } from '../core/ids.ts';
import type { PendingOccurrence, RunningOccurrence } from '../core/occurrence/occurrence.ts';
import { lastSentAt, SETTLING, type SweepDecision, shouldBeQueued } from '../core/occurrence/overdue.ts';
import {
  decideHandOver,
  type HandOverDecision,
  type HandOverMemory,
  NO_HAND_OVER,
  type QueueCounts,
} from '../core/occurrence/redispatch-pace.ts';
import type { OccurrenceStore } from '../core/ports/occurrence-store.ts';
import type { EpochMs } from '../core/time.ts';

const CONCURRENCY = 16;
/** Candidates that are kept in memory: as many as one pass can hand over. */
const MAX_CANDIDATES = 10_000;
/** Of those that waited very long, whatever the queue says. */
const MAX_LONG = 20;
/** Of what was handed over, to see whether it gets to workers. */
const SAMPLE = 10;

export interface HandOverDeps {
  readonly occurrences: Pick<OccurrenceStore, 'redispatch' | 'readOccurrence'>;
  readonly messages: { counts(): Promise<QueueCounts> };
  readonly redispatchMs: number;
  readonly stopAt: EpochMs;
  readonly now: () => EpochMs;
}

export interface HandedOver {
  readonly count: number;
  readonly memory: HandOverMemory;
  readonly failures: readonly { readonly id: string; readonly error: unknown }[];
}

/** What may have been lost, oldest first, as far as one pass can do something about it. */
export class Candidates {
  /** Those that are due and should be in the queue, candidates or not. */
  due = 0;
  /** Those of them whose message was sent a while ago. */
  settled = 0;
  private readonly long: PendingOccurrence[] = [];
  private readonly maybe: PendingOccurrence[] = [];
  private readonly promised: PendingOccurrence[] = [];

  count(occurrence: PendingOccurrence | RunningOccurrence, now: EpochMs): void {
    if (!shouldBeQueued(occurrence, now)) return;
    this.due += 1;
    if (now - lastSentAt(occurrence) >= SETTLING) this.settled += 1;
  }

  add(occurrence: PendingOccurrence, decision: SweepDecision): void {
    const list = decision === 'long-lost' ? this.long : this.maybe;
    if (list.length < MAX_CANDIDATES) list.push(occurrence);
  }

  /** One that was promised a place in a slot, and does not come. */
  addPromised(occurrence: PendingOccurrence): void {
    if (this.promised.length < MAX_CANDIDATES) this.promised.push(occurrence);
  }

  /** At most `limit` of what may be lost and `promised` of what a slot waits for; and a few of what has waited very long. */
  chosen({ limit, promised }: Pick<HandOverDecision, 'limit' | 'promised'>): PendingOccurrence[] {
    const few = oldestFirst(this.long).slice(0, MAX_LONG);
    const waitedFor = oldestFirst(this.promised).slice(0, promised);
    const others = oldestFirst([...this.long, ...this.maybe]).slice(0, limit);
    // One that a slot waits for was found twice, in its slot and among what is open.
    return [...new Map([...few, ...waitedFor, ...others].map((one) => [occurrenceId(one), one])).values()];
  }
}

const oldestFirst = (some: readonly PendingOccurrence[]) =>
  some.toSorted((a, b) => lastSentAt(a) - lastSentAt(b));

/** What the queue and the last hand-over say. Read before anything is counted: what is started meanwhile counts twice then. */
export async function readEvidence({ messages, occurrences }: HandOverDeps, memory: HandOverMemory) {
  const [counts, hasArrived] = await Promise.allSettled([
    messages.counts(),
    arrived(occurrences, memory.last),
  ]);
  const failed = [counts, hasArrived].filter((one) => one.status === 'rejected');
  return {
    queue: counts.status === 'fulfilled' ? counts.value : undefined,
    hasArrived: hasArrived.status === 'fulfilled' ? hasArrived.value : undefined,
    failures: failed.map(({ reason }) => ({ id: 'work queue', error: reason as unknown })),
  };
}

/** Whether most of what was handed over last has got to a worker. */
async function arrived(
  occurrences: HandOverDeps['occurrences'],
  last: HandOverMemory['last'],
): Promise<boolean | undefined> {
  if (!last) return undefined;
  const found = await Promise.all(
    last.sample.map((id) => {
      const key = parseOccurrenceId(id);
      return key && occurrences.readOccurrence(key);
    }),
  );
  const waiting = found.filter((one) => one?.status === 'pending' && one.redispatchedAt === last.at);
  return waiting.length <= last.sample.length / 2;
}

export async function handOver(
  deps: HandOverDeps,
  candidates: Candidates,
  before: HandOverMemory | undefined,
  evidence: Pick<Awaited<ReturnType<typeof readEvidence>>, 'queue' | 'hasArrived'>,
): Promise<HandedOver> {
  const now = deps.now();
  const { due, settled } = candidates;
  const known = { due, settled, ...evidence };
  const decision = decideHandOver(before ?? NO_HAND_OVER, known, deps.redispatchMs, now);
  const { limit, memory } = decision;
  const failures: HandedOver['failures'][number][] = [];
  const handed: OccurrenceId[] = [];
  await pMap(
    candidates.chosen(decision),
    async (occurrence) => {
      if (deps.now() >= deps.stopAt) return;
      const id = occurrenceId(occurrence);
      try {
        const { kind } = await deps.occurrences.redispatch(occurrence, now, 'overdue');
        if (kind === 'done') handed.push(id);
      } catch (error) {
        failures.push({ id, error });
      }
    },
    { concurrency: CONCURRENCY },
  );
  if (limit === 0 || handed.length === 0) return { count: handed.length, memory, failures };
  const step = Math.ceil(handed.length / SAMPLE);
  const sample = handed.filter((_, index) => index % step === 0);
  return { count: handed.length, memory: { ...memory, last: { at: now, sample } }, failures };
}
