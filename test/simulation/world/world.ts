import { occurrenceId, parseOccurrenceId, type ScheduleId, scheduleId } from '../../../lambdas/core/ids.ts';
import type { RunningOccurrence } from '../../../lambdas/core/occurrence/occurrence.ts';
import type { Invocation } from '../../../lambdas/core/ports/target-caller.ts';
import { type EpochMs, epochMs, MINUTE } from '../../../lambdas/core/time.ts';
import { MAX_RECORDS } from '../../../local/sources/stream-reader.ts';
import { attemptMark } from '../oracles/attempts.ts';
import { History } from '../oracles/history.ts';
import { SlotWatch } from '../oracles/slot-watch.ts';
import { CallCounter } from './calls.ts';
import { type ApiCall, type ApiClient, apiClient } from './client.ts';
import { apiDeps, runSweep, runTick, runWorker } from './functions.ts';
import type { Lane } from './lane.ts';
import { Crashed } from './life.ts';
import { type Observer, observe } from './observer.ts';
import { type Delivery, Outbox } from './outbox.ts';
import { Outside } from './outside.ts';
import { type Process, startProcess } from './process.ts';
import { type Message, WorkQueueModel } from './queue.ts';
import { type Behaviour, recordingTarget, succeeds, type TargetCall, TargetRecord } from './target.ts';
import { VirtualTime } from './time.ts';
import { TimeToLive } from './ttl.ts';

/** What can be away while all else goes on. */
export type Part = 'tick' | 'sweep' | 'relay' | 'queue' | 'worker';

const QUEUE = { visibilityMs: 6 * MINUTE, maxReceives: 5 };

/** What went wrong in an invocation of a function; as in production, the next one takes over. */
export interface Trouble {
  readonly process: string;
  readonly error: unknown;
}

/**
 * A whole deployment in one process: the use cases of every function over the real adapters and the embedded
 * engine, with its stream read as Lambda reads it, an SQS that keeps SQS's semantics, and time that moves only
 * when it is moved (course.ts). The same steps take the same course each time.
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
  readonly outside: Outside;
  readonly slots: SlotWatch;
  /** When each attempt was claimed, among all that happened (`attemptMark` → order). */
  readonly claims = new Map<string, number>();
  readonly troubles: Trouble[] = [];
  /** The schedules that the last sweep missed a success of. */
  withoutSuccess: readonly ScheduleId[] = [];
  behaviour: Behaviour = succeeds;
  /** Milliseconds that the clocks of all processes are off, and those of single ones besides. */
  skew = 0;
  readonly skews = new Map<string, number>();
  readonly away = new Set<Part>();
  readonly ttl: TimeToLive;
  /** Every shard count that was deployed, the present one last. */
  readonly shardCounts: number[];
  readonly #number: number;
  readonly #processes = new Map<string, Process>();
  readonly #record: TargetRecord;
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
    this.shardCounts = [lane.context.shardCount];
    this.observer = observe(lane, this.time, () => this.shardCounts);
    this.ttl = new TimeToLive(lane, this.time);
    this.history = new History(this.observer, () => this.#nextOrder());
    this.queue = new WorkQueueModel(this.time, { ...QUEUE, isAway: () => this.away.has('queue') });
    this.outbox = new Outbox(() => this.time.busy(lane.readStream));
    this.slots = new SlotWatch({
      observer: this.observer,
      now: () => this.time.now(),
      schedules: () => this.history.schedules,
    });
    this.client = apiClient((id, call) => this.#request(id, call), {
      history: this.history,
      limits: this.slots.limits,
      now: () => this.time.now(),
    });
    this.#record = new TargetRecord({
      noticed: (call) => this.slots.called(call),
      nextOrder: () => this.#nextOrder(),
      readItem: async ({ id }) => {
        const key = parseOccurrenceId(id);
        return key && this.observer.occurrence(key);
      },
    });
    this.#target = recordingTarget(
      this.#record,
      this.calls,
      () => this.behaviour,
      (error) => this.#noteTrouble('observer', error),
    );
    this.outside = new Outside({
      client: this.client,
      now: () => this.time.now(),
      calls: this.#record.calls,
      record: (invocation: Invocation) => this.#record.add(invocation, () => this.time.now()),
      note: (error) => this.#noteTrouble('outside', error),
    });
  }

  static async open(lane: Lane): Promise<World> {
    // What the world before it left on the stream is not this one's.
    while ((await lane.readStream()).length === MAX_RECORDS);
    await lane.forgetShardCount();
    return new World(lane);
  }

  get targetCalls(): readonly TargetCall[] {
    return this.#record.calls;
  }

  /** The group of this world's schedules. */
  get group(): string {
    return `w${this.#number}`;
  }

  /** The id of this world's schedule of that name. */
  id(name: string): ScheduleId {
    return scheduleId(this.group, name);
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
    const skew = () => this.skew + (this.skews.get(name) ?? 0);
    const shardCount = this.shardCounts.at(-1) ?? lane.context.shardCount;
    const process = startProcess(name, { lane, time, calls, queue, onClaim, skew, shardCount });
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
    await this.ttl.pass();
    if (this.calls.areLate > 0) this.history.mayAllChange(this.slots.limits);
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
    this.calls.forget();
    this.slots.forget();
    for (const id of this.history.schedules) await this.history.look(id);
  }

  // ---- what functions do -----------------------------------------------------------------------------------

  /** Deployed anew with another shard count: from here on every function is a new process. */
  redeploy(shardCount: number): void {
    this.shardCounts.push(shardCount);
    this.#processes.clear();
  }

  #invocation(name: string) {
    const note = (error: unknown) => this.#noteTrouble(name, error);
    return { id: this.#invocationId(name), note };
  }

  async tick(name = 'tick', { ignoreShardLease = false } = {}): Promise<void> {
    if (this.away.has('tick')) return;
    await this.#invoke(name, (process) => runTick(process, this.#invocation(name), { ignoreShardLease }));
    await this.history.lookAtChanging();
  }

  async sweep(name = 'sweep'): Promise<void> {
    if (this.away.has('sweep')) return;
    const overdue = await this.#invoke(name, (process) => runSweep(process, this.#invocation(name)));
    this.withoutSuccess = overdue ?? this.withoutSuccess;
    await this.history.lookAtChanging();
  }

  async relay(delivery?: Delivery, name = 'relay'): Promise<void> {
    if (this.away.has('relay')) return;
    await this.outbox.deliver((run) => this.#invoke(name, run), delivery);
  }

  get canWork(): boolean {
    return !this.away.has('worker') && !this.away.has('queue');
  }

  /** Works on messages that are visible, side by side; answers how many there were. */
  async work(
    options: { readonly max?: number; readonly order?: (messages: Message[]) => Message[] } = {},
    name = 'worker',
  ): Promise<number> {
    if (!this.canWork) return 0;
    const messages = this.queue.receive(options.max, options.order);
    if (messages.length === 0) return 0;
    await this.#invoke(name, (process) => Promise.all(messages.map((one) => this.#handle(process, one))));
    await this.history.lookAtChanging();
    return messages.length;
  }

  async #handle(process: Process, message: Message): Promise<void> {
    try {
      await runWorker(process, this.#target(process), message, this.#invocationId(process.name));
      this.queue.delete(message);
    } catch (error) {
      // It stays on the queue and comes again.
      this.#noteTrouble(process.name, error);
    }
  }

  async #request<Answer>(id: ScheduleId | undefined, call: ApiCall<Answer>): Promise<Answer> {
    if (id !== undefined) this.history.know(id);
    let failure: unknown;
    const done = await this.#invoke(
      'api',
      async (process) => {
        const caller = {
          now: process.clock.now(),
          requestId: this.#invocationId('api'),
          principal: 'test',
        };
        return { answer: await call(apiDeps(process), caller) };
      },
      (error) => {
        failure = error;
      },
    );
    if (id !== undefined) await this.history.look(id);
    await this.history.lookAtChanging();
    if (!done) throw failure ?? new Error('The api died.');
    return done.answer;
  }

  /** Nothing happens for so long: no tick, no relay, no worker. */
  outage(ms: number): void {
    this.time.moveTo(epochMs(this.time.now() + ms));
  }

  leave(): void {
    this.lane.leave(this.time.now());
  }
}
