import { workMessageSchema } from '../../../lambdas/contract/message.ts';
import { headRecurrence } from '../../../lambdas/core/head-recurrence.ts';
import { occurrenceId, parseOccurrenceId, type ScheduleId, scheduleId } from '../../../lambdas/core/ids.ts';
import type { RunningOccurrence } from '../../../lambdas/core/occurrence.ts';
import { type EpochMs, epochMs, HOUR, MINUTE, SECOND } from '../../../lambdas/core/time.ts';
import { sweep } from '../../../lambdas/sweep/sweep.ts';
import { sweepWatches } from '../../../lambdas/sweep/watches.ts';
import { tickBackfills } from '../../../lambdas/tick/backfills.ts';
import { tick } from '../../../lambdas/tick/tick.ts';
import { work } from '../../../lambdas/worker/work.ts';
import { MAX_RECORDS } from '../../../local/sources/stream-reader.ts';
import { ANYTHING_ALLOWED } from '../allowed.ts';
import { attemptMark } from './attempts.ts';
import { CallCounter } from './calls.ts';
import { type ApiCall, type ApiClient, apiClient } from './client.ts';
import { History } from './history.ts';
import { type Lane, ZONE_DATA } from './lane.ts';
import { Crashed } from './life.ts';
import { type Observer, observe } from './observer.ts';
import { type Delivery, Outbox } from './outbox.ts';
import { type Process, startProcess } from './process.ts';
import { type Message, WorkQueueModel } from './queue.ts';
import { type Behaviour, recordingTarget, succeeds, type TargetCall } from './target.ts';
import { VirtualTime } from './time.ts';

export const LIMITS = { lead: 2 * MINUTE, planWindow: 10 * MINUTE };
export const LEASE = 30 * SECOND;
const REDISPATCH = MINUTE;
const QUEUE = { visibilityMs: 6 * MINUTE, maxReceives: 5 };

/** What went wrong in an invocation of a function; as in production, the next one takes over. */
export interface Trouble {
  readonly process: string;
  readonly error: unknown;
}

/**
 * A whole deployment in one process: the use cases of every function over the real adapters and the embedded
 * engine, with its stream read as Lambda reads it, an SQS that keeps SQS's semantics, and time that moves only
 * when it is moved. The same steps take the same course each time.
 */
export class World {
  readonly lane: Lane;
  readonly start: EpochMs;
  readonly time: VirtualTime;
  readonly calls: CallCounter;
  readonly observer: Observer;
  readonly history: History;
  readonly queue: WorkQueueModel;
  readonly outbox: Outbox;
  readonly client: ApiClient;
  readonly targetCalls: TargetCall[] = [];
  /** When each attempt was claimed, among all that happened (`attemptMark` → order). */
  readonly claims = new Map<string, number>();
  readonly troubles: Trouble[] = [];
  /** The schedules that the last sweep missed a success of. */
  withoutSuccess: readonly ScheduleId[] = [];
  behaviour: Behaviour = succeeds;
  /** Milliseconds that the clocks of all processes are off. */
  skew = 0;
  readonly #number: number;
  readonly #processes = new Map<string, Process>();
  readonly #target: ReturnType<typeof recordingTarget>;
  #crashing = false;
  #order = 0;
  #invocations = 0;

  private constructor(lane: Lane) {
    const { number, start } = lane.enter();
    this.#number = number;
    this.lane = lane;
    this.start = start;
    this.time = new VirtualTime(start);
    this.calls = new CallCounter(
      this.time,
      () => this.#killAll(),
      (error) => this.#noteTrouble('meanwhile', error),
    );
    this.observer = observe(lane, this.time);
    this.history = new History(this.observer, () => this.#nextOrder());
    this.queue = new WorkQueueModel(this.time, QUEUE);
    this.outbox = new Outbox(() => this.time.busy(lane.readStream));
    this.client = apiClient((id, call) => this.#request(id, call));
    this.#target = recordingTarget(this.targetCalls, {
      calls: this.calls,
      nextOrder: () => this.#nextOrder(),
      readItem: async ({ id }) => {
        const key = parseOccurrenceId(id);
        return key && this.observer.occurrence(key);
      },
      behaviour: () => this.behaviour,
    });
  }

  static async open(lane: Lane): Promise<World> {
    // What the world before it left on the stream is not this one's.
    while ((await lane.readStream()).length === MAX_RECORDS);
    return new World(lane);
  }

  /** The id of this world's schedule of that name. */
  id(name: string): ScheduleId {
    return scheduleId(`w${this.#number}`, name);
  }

  at(offsetMs: number): EpochMs {
    return epochMs(this.start + offsetMs);
  }

  // ---- processes -------------------------------------------------------------------------------------------

  /** The warm environment of that name; a new one when the last was killed. */
  process(name: string): Process {
    const warm = this.#processes.get(name);
    if (warm?.life.alive) return warm;
    const { lane, time, calls, queue } = this;
    const onClaim = (claimed: RunningOccurrence) => {
      this.claims.set(attemptMark(occurrenceId(claimed), claimed.fencingToken), this.#nextOrder());
    };
    const process = startProcess(name, { lane, time, calls, queue, onClaim, skew: () => this.skew });
    this.#processes.set(name, process);
    return process;
  }

  #killAll(): void {
    this.#crashing = true;
    for (const { life } of this.#processes.values()) life.kill();
  }

  /**
   * One invocation. Undefined when its process was killed or it failed; throws `Crashed` when everything was
   * killed, so that the scenario ends there.
   */
  async #invoke<Answer>(
    name: string,
    run: (process: Process) => Promise<Answer>,
    onError: (error: unknown) => void = (error) => this.#noteTrouble(name, error),
  ): Promise<Answer | undefined> {
    const process = this.process(name);
    const died = process.life.died.then(() => ({ kind: 'died' }) as const);
    const end = await this.time.drive(() => {
      const running = run(process).then(
        (answer) => ({ kind: 'done', answer }) as const,
        (error: unknown) => ({ kind: 'failed', error }) as const,
      );
      return Promise.race([running, died]);
    });
    if (end.kind === 'done') return end.answer;
    if (end.kind === 'failed') onError(end.error);
    // What a dead process had under way still arrives, before anything that comes after it.
    if (end.kind === 'died') await this.time.idle();
    if (this.#crashing) throw new Crashed();
    return undefined;
  }

  #noteTrouble(process: string, error: unknown): void {
    if (!(error instanceof Crashed)) this.troubles.push({ process, error });
  }

  #nextOrder(): number {
    this.#order += 1;
    return this.#order;
  }

  #invocationId(name: string): string {
    this.#invocations += 1;
    return `${name}/${this.#invocations}`;
  }

  /** After a crash: new processes, and nothing goes wrong any more. */
  async restart(): Promise<void> {
    this.#crashing = false;
    this.calls.faults = { of: () => undefined };
    for (const id of this.history.schedules) await this.history.look(id);
  }

  // ---- what functions do -----------------------------------------------------------------------------------

  get shards(): number[] {
    return Array.from({ length: this.lane.context.shardCount }, (_, shard) => shard);
  }

  /** A heedless one scans shards that others hold: leases of shards save cost, they are not what is relied on. */
  async tick(name = 'tick', { heedless = false } = {}): Promise<void> {
    await this.#invoke(name, async ({ planning, occurrences, backfills, clock }) => {
      const deps = {
        store: heedless ? { ...planning, acquireShard: async () => true } : planning,
        occurrences,
        backfills,
        recurrenceOf: headRecurrence,
        zoneData: ZONE_DATA,
        ...LIMITS,
        holder: this.#invocationId(name),
        stopAt: epochMs(clock.now() + HOUR),
        now: clock.now,
      };
      const planned = await tick(deps, this.shards);
      const moved = await tickBackfills(deps, this.shards);
      for (const { error } of [...planned.failures, ...moved.failures]) this.#noteTrouble(name, error);
    });
  }

  async sweep(name = 'sweep'): Promise<void> {
    await this.#invoke(name, async ({ occurrences, schedules, watches, clock }) => {
      const deps = {
        schedules,
        occurrences,
        watches,
        revisionOf: ({ schedule, revision }: { schedule: ScheduleId; revision: number }) =>
          schedules.readRevision(schedule, revision),
        redispatchMs: REDISPATCH,
        stopAt: epochMs(clock.now() + HOUR),
        now: clock.now,
      };
      const swept = await sweep(deps, { shards: this.shards, reissue: false });
      const watched = await sweepWatches(deps);
      this.withoutSuccess = watched.longest.map(({ schedule }) => schedule);
      for (const { error } of [...swept.failures, ...watched.failures]) this.#noteTrouble(name, error);
    });
  }

  async relay(delivery?: Delivery, name = 'relay'): Promise<void> {
    await this.outbox.deliver((run) => this.#invoke(name, run), delivery);
  }

  /** Works on messages that are visible, side by side; answers how many there were. */
  async work(
    options: { readonly max?: number; readonly order?: (messages: Message[]) => Message[] } = {},
    name = 'worker',
  ): Promise<number> {
    const messages = this.queue.receive(options.max, options.order);
    if (messages.length === 0) return 0;
    await this.#invoke(name, (process) => Promise.all(messages.map((one) => this.#handle(process, one))));
    return messages.length;
  }

  async #handle(process: Process, message: Message): Promise<void> {
    const deps = { ...process, targets: this.#target(process), leaseMs: LEASE };
    try {
      await work(deps, workMessageSchema.parse(JSON.parse(message.body)), this.#invocationId(process.name));
      this.queue.delete(message);
    } catch (error) {
      // It stays on the queue and comes again.
      this.#noteTrouble(process.name, error);
    }
  }

  async #request(id: ScheduleId, call: ApiCall): Promise<void> {
    this.history.know(id);
    let failure: unknown;
    const done = await this.#invoke(
      'api',
      async ({ schedules, occurrences, planning, clock }) => {
        const caller = { now: clock.now(), requestId: this.#invocationId('api'), principal: 'test' };
        const change = { schedules, occurrences, planning, limits: LIMITS, zoneData: ZONE_DATA };
        await call({ ...change, allowed: ANYTHING_ALLOWED }, caller);
        return true;
      },
      (error) => {
        failure = error;
      },
    );
    await this.history.look(id);
    if (!done) throw failure ?? new Error('The api died.');
  }

  // ---- time ------------------------------------------------------------------------------------------------

  /** What every minute brings: tick and sweep, then relay and workers as messages come due. */
  async minute(): Promise<void> {
    const end = epochMs((Math.floor(this.time.now() / MINUTE) + 1) * MINUTE);
    await this.tick();
    await this.sweep();
    await this.pump(end);
  }

  async minutes(count: number): Promise<void> {
    for (let minute = 0; minute < count; minute += 1) await this.minute();
  }

  /** Relay and workers until `end`. */
  async pump(end: EpochMs): Promise<void> {
    for (;;) {
      await this.relay();
      if ((await this.work()) > 0 || this.outbox.waiting > 0) continue;
      const next = this.queue.nextAt();
      if (next === undefined || next > end) break;
      if (next > this.time.now()) this.time.moveTo(next);
    }
    if (end > this.time.now()) this.time.moveTo(end);
  }

  /** Nothing happens for so long: no tick, no relay, no worker. */
  outage(ms: number): void {
    this.time.moveTo(epochMs(this.time.now() + ms));
  }

  /** Goes on until every schedule has run out and nothing is open; then until the queue is empty too. */
  async settle(limitMinutes = 90): Promise<void> {
    for (let minute = 0; ; minute += 1) {
      await this.minute();
      if (await this.isQuiet()) break;
      if (minute >= limitMinutes) throw new Error(`Not at rest after ${limitMinutes} minutes.`);
    }
    for (let next = this.queue.nextAt(); next !== undefined; next = this.queue.nextAt()) {
      await this.pump(next);
      await this.work();
    }
    await this.outbox.read();
  }

  /** Every schedule has run out, and nothing is open. */
  async isQuiet(): Promise<boolean> {
    for (const id of this.history.schedules) {
      const head = await this.observer.head(id);
      if (head?.state === 'enabled' && head.nextDueAt !== null) return false;
      const items = await this.observer.occurrences(id);
      if (items.some(({ status }) => status === 'pending' || status === 'running')) return false;
    }
    return true;
  }

  leave(): void {
    this.lane.leave(this.time.now());
  }
}
