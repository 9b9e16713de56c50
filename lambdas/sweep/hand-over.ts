import pMap from 'p-map';
import { decideHandOver, type HandOverMemory, NO_HAND_OVER, type QueueCounts } from '../core/hand-over.ts';
import { type OccurrenceId, occurrenceId, parseOccurrenceId } from '../core/ids.ts';
import type { PendingOccurrence, RunningOccurrence } from '../core/occurrence.ts';
import { lastSentAt, SETTLING, type SweepDecision, shouldBeQueued } from '../core/overdue.ts';
import type { OccurrenceStore } from '../core/ports.ts';
import type { EpochMs } from '../core/time.ts';

const CONCURRENCY = 16;
/** Candidates that are kept in memory: as many as one pass can hand over. */
const MAX_CANDIDATES = 10_000;
/** Of those that waited very long, whatever the queue says. */
const MAX_LONG = 20;
/** Of those that wait for a slot: they are not in the queue, and are woken when their turn comes. */
const MAX_WAITING = 100;
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
  private readonly lists = { long: [], waiting: [], maybe: [] } as Record<
    'long' | 'waiting' | 'maybe',
    PendingOccurrence[]
  >;

  count(occurrence: PendingOccurrence | RunningOccurrence, now: EpochMs): void {
    if (!shouldBeQueued(occurrence, now)) return;
    this.due += 1;
    if (now - lastSentAt(occurrence) >= SETTLING) this.settled += 1;
  }

  add(occurrence: PendingOccurrence, decision: SweepDecision): void {
    if (occurrence.waitingFor !== undefined) keep(this.lists.waiting, occurrence, MAX_WAITING);
    else if (decision === 'long-lost') keep(this.lists.long, occurrence, MAX_CANDIDATES);
    else keep(this.lists.maybe, occurrence, MAX_CANDIDATES);
  }

  /** At most `limit` of what may be lost, and a few of the others. */
  chosen(limit: number): PendingOccurrence[] {
    const { long, waiting, maybe } = this.lists;
    const oldest = [...long, ...maybe].sort((a, b) => lastSentAt(a) - lastSentAt(b));
    const few = long.toSorted((a, b) => lastSentAt(a) - lastSentAt(b)).slice(0, MAX_LONG);
    return [...new Set([...few, ...waiting, ...oldest.slice(0, limit)])];
  }
}

function keep(list: PendingOccurrence[], one: PendingOccurrence, most: number): void {
  if (list.length < most) list.push(one);
}

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
  const { limit, memory } = decideHandOver(before ?? NO_HAND_OVER, known, deps.redispatchMs, now);
  const failures: HandedOver['failures'][number][] = [];
  const handed: OccurrenceId[] = [];
  await pMap(
    candidates.chosen(limit),
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
