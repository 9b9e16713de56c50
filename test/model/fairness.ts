import { randomOf, Timeline } from './events.ts';
import { FairQueue, type Message } from './fair-queue.ts';
import { growthStep, type Pollers, processesAt, slotsOf } from './pollers.ts';

/** A flood of one group, due at time 0, and a single job of another. Times in milliseconds. */
export interface Flood {
  readonly pollers: Pollers;
  readonly jobs: number;
  /** How long a job of the flood runs: each between half of it and one and a half times of it. */
  readonly jobMs: number;
  readonly fair: boolean;
  /** From the moment that a group is noisy until the queue acts on it. */
  readonly detectionMs: number;
  /** When the single one is due; its message comes before those of the flood, behind them or among them. */
  readonly single: { readonly dueAt: number; readonly place: 'first' | 'last' | 'among' };
  readonly seed: number;
  /** Concurrency limit of the flood's group. */
  readonly groupLimit?: number;
}

/** SQS delays by whole seconds, rounded down: a message comes up to so much before it is due. */
const EARLY = 1_000;
/** From asking for messages to having them. */
const RECEIVE = 20;
/** The first invocation of an environment: a tuned Node function with its first connections. */
const COLD_START = 400;
/** Reads and the claim, before the target is called. */
const CLAIM = 30;
/** From the end of a job to the message of the next one that waits for its slot: stream, relay, queue. */
const WAKE = 500;

interface Process {
  free: number;
  warm: number;
  receiving: boolean;
  nextReceiveAt: number;
}

/** Milliseconds after its time that the single job starts. */
export function delayOfSingle(flood: Flood): number {
  const { pollers, jobs, jobMs, single, groupLimit = Number.POSITIVE_INFINITY } = flood;
  const random = randomOf(flood.seed);
  const timeline = new Timeline();
  const queue = new FairQueue(flood);
  const { slots, receiveEveryMs } = slotsOf(pollers);
  const processes: Process[] = [];
  let startedAt: number | undefined;
  let running = 0;
  let waiting = 0;

  const grow = () => {
    while (processes.length < processesAt(pollers, timeline.now + EARLY)) {
      processes.push({ free: slots, warm: 0, receiving: false, nextReceiveAt: timeline.now });
    }
    if (processes.length < pollers.most) timeline.at(timeline.now + growthStep(pollers), grow);
    poll();
  };

  const poll = () => {
    if (queue.size === 0) return;
    for (const process of processes) {
      if (process.receiving || process.free === 0) continue;
      process.receiving = true;
      const asked = Math.max(timeline.now, process.nextReceiveAt);
      process.nextReceiveAt = asked + receiveEveryMs;
      timeline.at(asked + RECEIVE, () => {
        process.receiving = false;
        const batch = queue.receive(timeline.now);
        if (batch.length > 0) invoke(process, batch);
        poll();
      });
    }
  };

  /** The messages of a batch run side by side, and leave the queue when the last has ended. */
  const invoke = (process: Process, batch: readonly Message[]) => {
    const busy = slots - process.free;
    process.free -= 1;
    const cold = busy >= process.warm ? COLD_START : 0;
    process.warm = Math.max(process.warm, busy + 1);
    let left = batch.length;
    const ended = () => {
      left -= 1;
      if (left > 0) return;
      queue.delete(batch, timeline.now);
      process.free += 1;
      poll();
    };
    for (const message of batch) {
      const begin = Math.max(timeline.now + cold, message.dueAt) + CLAIM * random();
      timeline.at(begin, () => run(message, ended));
    }
  };

  const run = ({ group }: Message, ended: () => void) => {
    if (group === 'quiet') {
      startedAt = timeline.now;
    } else if (running >= groupLimit) {
      waiting += 1;
      ended();
    } else {
      running += 1;
      timeline.at(timeline.now + jobMs * (0.5 + random()), () => {
        running -= 1;
        ended();
        if (waiting === 0) return;
        waiting -= 1;
        timeline.at(timeline.now + WAKE, () => arrive('noisy', timeline.now));
      });
    }
  };

  const arrive = (group: string, dueAt: number) => {
    queue.send({ group, dueAt });
    poll();
  };

  const early = () => -EARLY * random();
  const sent = { first: -EARLY, last: 0, among: early() }[single.place];
  const sendSingle = () => timeline.at(single.dueAt + sent, () => arrive('quiet', single.dueAt));
  timeline.now = -EARLY;
  if (single.place === 'first') sendSingle();
  for (let job = 0; job < jobs; job += 1) timeline.at(early(), () => arrive('noisy', 0));
  if (single.place !== 'first') sendSingle();
  grow();
  timeline.run(() => startedAt !== undefined);
  if (startedAt === undefined) throw new Error('The quiet group never got its turn.');
  return startedAt - single.dueAt;
}

/** Moments at which the single one is due: with the flood, or while it lasts. */
export const WITH_IT = [0];
export const WHILE_IT_LASTS = [0, 2_000, 10_000, 45_000, 240_000];

/** The worst of some seeds, of every place that its message may have, and of some moments. */
export function worstDelay(
  flood: Omit<Flood, 'seed' | 'single' | 'detectionMs'>,
  moments: readonly number[],
): number {
  const seeds = [1, 2];
  const detections = [0, 1_000];
  // Once the flood is there, the place of a message that comes later is behind it.
  const placesAt = (dueAt: number) =>
    dueAt === 0 ? (['first', 'last', 'among'] as const) : ['last' as const];
  return Math.max(
    ...moments.flatMap((dueAt) =>
      placesAt(dueAt).flatMap((place) =>
        seeds.map((seed) =>
          delayOfSingle({
            ...flood,
            seed,
            single: { dueAt, place },
            detectionMs: detections[seed % detections.length] ?? 0,
          }),
        ),
      ),
    ),
  );
}
