import { mkdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { DynamoDBRecord } from 'aws-lambda';
import { RELAY_FILTER } from '../lambdas/contract/tables.ts';
import { openCheckpoint } from './data/checkpoint.ts';
import { keepFailedIn } from './data/failed-records.ts';
import { lockDirectory } from './data/lock.ts';
import { LOCAL_AWS } from './engine/aws.ts';
import { startDynoxide } from './engine/dynoxide.ts';
import { startQueues } from './engine/queues.ts';
import { createTables } from './engine/tables.ts';
import { temporaryDirectory } from './engine/temporary.ts';
import { applyEnvironment } from './environment.ts';
import { type Functions, loadFunctions } from './functions.ts';
import { type Beside, startGateway } from './gateway/server.ts';
import { invokeAsynchronously } from './lambda/async-invoke.ts';
import { startInvokeApi } from './lambda/invoke-api.ts';
import { FUNCTION_NAMES, LOCAL } from './settings.ts';
import { startQueueMapping } from './sources/queue-mapping.ts';
import { startRule } from './sources/rule.ts';
import { startStreamMapping } from './sources/stream-mapping.ts';
import { openStream } from './sources/stream-reader.ts';

export interface HostOptions {
  readonly port: number;
  /** Where everything is kept; undefined: in memory, and gone at the end. */
  readonly directory: string | undefined;
  readonly onError: (message: string) => void;
  readonly onRecords?: (records: readonly DynamoDBRecord[]) => void;
  readonly beside?: Beside;
}

export interface Host {
  readonly apiUrl: string;
  readonly dynamodbEndpoint: string;
  readonly sqsEndpoint: string;
  /** Resolves, with the reason, if the engine ends by itself. */
  readonly died: Promise<string>;
  readonly running: () => number;
  /** Starts nothing new and waits for what runs, at most so long. Answers how many did not finish. */
  drain(withinMs: number): Promise<number>;
  stop(): Promise<void>;
}

/** What undoes the steps of a start, last one first. */
class Undo {
  readonly #steps: (() => unknown)[] = [];
  add<T>(thing: T, step: (thing: T) => unknown): T {
    this.#steps.push(() => step(thing));
    return thing;
  }
  async run(): Promise<void> {
    for (const step of this.#steps.splice(0).reverse()) await step();
  }
}

/**
 * Plays AWS around the deployed handlers. Once in a process: handlers read their environment as they are
 * imported, and modules are imported once.
 */
export async function startHost(options: HostOptions): Promise<Host> {
  const undo = new Undo();
  try {
    return await start(options, undo);
  } catch (error) {
    await undo.run();
    throw error;
  }
}

async function start(options: HostOptions, undo: Undo): Promise<Host> {
  const { onError } = options;
  const throwAway = options.directory === undefined;
  const directory = options.directory ?? undo.add(temporaryDirectory(), (one) => one.remove()).path;
  mkdirSync(directory, { recursive: true });
  undo.add(lockDirectory(directory), (lock) => lock.release());

  const [engine, queues] = await Promise.all([
    startDynoxide(directory, { throwAway }).then((one) => undo.add(one, () => one.stop())),
    startQueues({
      name: LOCAL.queueName,
      visibilityTimeoutSeconds: LOCAL.visibilityTimeoutSeconds,
      maxReceives: LOCAL.maxReceives,
    }).then((one) => undo.add(one, () => one.stop())),
  ]);
  await createTables(engine.endpoint, LOCAL.tables);

  const invokeAsync = (target: Functions[keyof Functions], event: unknown) =>
    invokeAsynchronously(target, event, onError);
  // Its address is part of the environment that the functions are loaded with, so it is there before them.
  let functions: Functions | undefined;
  const find = (name: string) => functions && Object.values(functions).find((one) => one.name === name);
  const invokeApi = undo.add(await startInvokeApi(find, invokeAsync), (api) => api.close());
  applyEnvironment({
    dynamodb: engine.endpoint,
    sqs: queues.endpoint,
    lambda: invokeApi.endpoint,
    workQueueUrl: queues.workQueueUrl,
    deadLetterQueueUrl: queues.deadLetterQueueUrl,
  });
  functions = await loadFunctions();

  const checkpoint = openCheckpoint(directory);
  const streams = new DynamoDBStreamsClient({ ...LOCAL_AWS, endpoint: engine.endpoint });
  const reader = await openStream(streams, LOCAL.tables.occurrencesTable, checkpoint.sequenceNumber);
  const outbox = startStreamMapping({
    reader,
    invoke: functions.relay.invoke,
    filter: RELAY_FILTER,
    ...LOCAL.relay,
    saveCheckpoint: checkpoint.save,
    keepFailed: keepFailedIn(directory),
    onError,
    ...(options.onRecords && { observe: options.onRecords }),
  });
  undo.add(outbox, (one) => one.stop());
  const work = startQueueMapping({
    client: new SQSClient({ ...LOCAL_AWS, endpoint: queues.endpoint }),
    queueUrl: queues.workQueueUrl,
    queueArn: queues.workQueueArn,
    invoke: functions.worker.invoke,
    ...LOCAL.worker,
    onError,
  });

  // The queue of the last run is gone with it: whatever is pending is handed over again.
  if (checkpoint.sequenceNumber !== undefined) invokeAsync(functions.sweep, { reissue: true });
  const rules = [
    startRule('punctual-tick', LOCAL.tickEveryMs, (event) => invokeAsync(functions.tick, event)),
    startRule('punctual-sweep', LOCAL.sweepEveryMs, (event) => invokeAsync(functions.sweep, event)),
  ];
  undo.add(rules, (all) => all.map((rule) => rule.stop()));
  const gateway = undo.add(
    await startGateway(functions.api, options.port, {
      onError,
      ...(options.beside && { beside: options.beside }),
    }),
    (one) => one.close(),
  );

  const running = () => FUNCTION_NAMES.reduce((sum, name) => sum + functions[name].running(), 0);
  let worked: Promise<void> | undefined;
  return {
    apiUrl: gateway.url,
    dynamodbEndpoint: engine.endpoint,
    sqsEndpoint: queues.endpoint,
    died: engine.died,
    running,
    async drain(withinMs) {
      for (const rule of rules) rule.stop();
      worked ??= work.stop();
      const drained = Promise.all([gateway.close(), worked]);
      await Promise.race([drained, sleep(withinMs, undefined, { ref: false })]);
      return running();
    },
    async stop() {
      worked ??= work.stop();
      worked.catch(() => {});
      await undo.run();
    },
  };
}
