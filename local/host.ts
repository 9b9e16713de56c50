import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import type { DynamoDBRecord } from 'aws-lambda';
import { RELAY_FILTER } from '../lambdas/contract/tables.ts';
import { type Checkpoint, openCheckpoint } from './data/checkpoint.ts';
import { keepFailedIn } from './data/failed-records.ts';
import { lockDirectory } from './data/lock.ts';
import { LOCAL_AWS } from './engine/aws.ts';
import { startDynoxide } from './engine/dynoxide.ts';
import { connectTo } from './engine/external.ts';
import { startQueues } from './engine/queues.ts';
import { startSecrets } from './engine/secrets.ts';
import { createTables } from './engine/tables.ts';
import { temporaryDirectory } from './engine/temporary.ts';
import { applyEnvironment } from './environment.ts';
import { loadMainFunctions, type MainFunctions } from './functions.ts';
import { type Beside, startGateway } from './gateway/server.ts';
import { invokeAsynchronously } from './lambda/async-invoke.ts';
import type { LocalFunction } from './lambda/function.ts';
import { startInvokeApi } from './lambda/invoke-api.ts';
import { LOCAL } from './settings.ts';
import { startRule } from './sources/rule.ts';
import { type Mapping, startStreamMapping } from './sources/stream-mapping.ts';
import { openStream } from './sources/stream-reader.ts';
import { Undo } from './undo.ts';
import { startWorkerPool } from './workers/pool.ts';

export interface HostOptions {
  readonly port: number;
  /** Where everything is kept; undefined: in memory, and gone at the end. */
  readonly directory: string | undefined;
  /** A DynamoDB endpoint to use in place of the embedded engine. */
  readonly dynamodbUrl?: string | undefined;
  /** Where named secrets are (engine/secrets.ts). */
  readonly secretsFile?: string | undefined;
  readonly onError: (message: string) => void;
  readonly onRecords?: (records: readonly DynamoDBRecord[]) => void;
  readonly beside?: Beside;
}

export interface Host {
  readonly apiUrl: string;
  /** Resolves, with the reason, if the engine ends by itself. */
  readonly died: Promise<string>;
  /** Starts nothing new and waits for what runs, at most so long. Answers how many batches did not finish. */
  drain(withinMs: number): Promise<number>;
  stop(): Promise<void>;
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
  undo.add(lockDirectory(directory), (lock) => lock.release());
  // First of all, so that a port that is taken is told at once; requests that come early wait.
  const api = Promise.withResolvers<LocalFunction>();
  const { beside } = options;
  const invoke = async (event: unknown) => (await api.promise).invoke(event);
  const gateway = await startGateway({ invoke }, options.port, { onError, ...(beside && { beside }) });
  undo.add(gateway, (one) => one.close());
  // Whoever still waits then gets an error, instead of holding up the end.
  api.promise.catch(() => {});
  undo.add(api, (one) => one.reject(new Error('The run is ending.')));

  const secrets = undo.add(await startSecrets(options.secretsFile), (api) => api.close());
  const [engine, queues] = await Promise.all([
    (options.dynamodbUrl === undefined
      ? startDynoxide(directory, { throwAway })
      : connectTo(options.dynamodbUrl)
    ).then((started) => undo.add(started, () => started.stop())),
    startQueues(LOCAL.queue).then((one) => undo.add(one, () => one.stop())),
  ]);
  await createTables(engine.endpoint, LOCAL.tables);

  const invokeAsync = (target: LocalFunction, event: unknown) => invokeAsynchronously(target, event, onError);
  // Its address is part of the environment that the functions are loaded with, so it is there before them.
  let functions: MainFunctions | undefined;
  const find = (name: string) => Object.values(functions ?? {}).find((one) => one.name === name);
  const invokeApi = undo.add(await startInvokeApi(find, invokeAsync), (api) => api.close());
  applyEnvironment({
    dynamodb: engine.endpoint,
    sqs: queues.endpoint,
    lambda: invokeApi.endpoint,
    secrets: secrets.endpoint,
    workQueueUrl: queues.work.url,
    deadLetterQueueUrl: queues.deadLetters.url,
  });
  const source = { sqsEndpoint: queues.endpoint, queueUrl: queues.work.url, queueArn: queues.work.arn };
  const [loaded, workers] = await Promise.all([
    loadMainFunctions(),
    startWorkerPool(source, onError).then((one) => undo.add(one, () => one.stop())),
  ]);
  functions = loaded;

  const checkpoint = openCheckpoint(directory);
  undo.add(await startOutbox(options, loaded, engine.endpoint, directory, checkpoint), (one) => one.stop());
  // The queue of the last run is gone with it: whatever is pending is handed over again.
  if (checkpoint.sequenceNumber !== undefined) invokeAsync(loaded.sweep, { reissue: true });
  const rules = [
    startRule('punctual-tick', LOCAL.tickEveryMs, (event) => invokeAsync(loaded.tick, event)),
    // As in a deployment, where a sweep ends before the next one starts: side by side they do everything twice.
    startRule('punctual-sweep', LOCAL.sweepEveryMs, (event) => {
      if (loaded.sweep.running() === 0) invokeAsync(loaded.sweep, event);
    }),
  ];
  undo.add(rules, (all) => all.map((rule) => rule.stop()));
  api.resolve(loaded.api);

  return {
    apiUrl: gateway.url,
    died: engine.died,
    async drain(withinMs) {
      for (const rule of rules) rule.stop();
      const drained = Promise.all([gateway.close(), workers.drain()]);
      await Promise.race([drained, sleep(withinMs, undefined, { ref: false })]);
      return workers.running();
    },
    stop: () => undo.run(),
  };
}

/** The relay's event source mapping on the occurrences stream. */
async function startOutbox(
  options: HostOptions,
  { relay }: MainFunctions,
  endpoint: string,
  directory: string,
  checkpoint: Checkpoint,
): Promise<Mapping> {
  const client = new DynamoDBStreamsClient({ ...LOCAL_AWS, endpoint });
  return startStreamMapping({
    reader: await openStream(client, LOCAL.tables.occurrencesTable, checkpoint.sequenceNumber),
    invoke: relay.invoke,
    filter: RELAY_FILTER,
    ...LOCAL.relay,
    saveCheckpoint: checkpoint.save,
    keepFailed: keepFailedIn(directory),
    onError: options.onError,
    ...(options.onRecords && { observe: options.onRecords }),
  });
}
