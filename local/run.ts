import type { DynamoDBRecord } from 'aws-lambda';
import { LocalRunError } from './errors.ts';
import type { Beside } from './gateway/server.ts';
import { type Host, startHost } from './host.ts';
import { changeOf } from './output/changes.ts';
import { lineOf } from './output/lines.ts';

/** Milliseconds. Under npm one Ctrl-C arrives twice: from the terminal, and passed on by npm. */
const SAME_INTERRUPT = 500;
/** Milliseconds that running work is waited for after the first Ctrl-C. */
const DRAIN_WITHIN = 20_000;

export interface RunOptions {
  readonly port: number;
  /** Undefined: in memory. */
  readonly directory: string | undefined;
  readonly dynamodbUrl?: string | undefined;
  readonly secretsFile?: string | undefined;
  readonly beside?: Beside;
  /** One line per occurrence as it starts and ends. */
  readonly showChanges: boolean;
  readonly onStarted: (host: Host) => Promise<void> | void;
  /** The last words before the process ends of its own accord. */
  readonly farewell?: string;
}

/** A host from its start to its end, at a terminal. */
export async function run(options: RunOptions): Promise<void> {
  const say = (text: string) => process.stdout.write(`${text}\n`);
  const complain = (text: string) => process.stderr.write(`${text}\n`);
  const startedAt = Date.now();
  const host = await startHost({
    port: options.port,
    directory: options.directory,
    dynamodbUrl: options.dynamodbUrl,
    secretsFile: options.secretsFile,
    onError: complain,
    ...(options.beside && { beside: options.beside }),
    ...(options.showChanges && { onRecords: (records) => show(records, startedAt, say) }),
  });
  host.died.then((reason) => {
    complain(reason);
    process.exit(1);
  });
  onInterrupt(host, say, options.farewell);
  await options.onStarted(host);
}

function show(records: readonly DynamoDBRecord[], since: number, say: (text: string) => void): void {
  for (const record of records) {
    // After a kill the stream is read again from before it; what was shown by that run is not news.
    const createdAt = (record.dynamodb?.ApproximateCreationDateTime ?? 0) * 1_000;
    // The stream's times are whole seconds.
    if (createdAt < since - 1_000) continue;
    const change = changeOf(record);
    if (change) say(lineOf(change));
  }
}

/** First time: nothing new starts, what runs may finish. Second time: at once; leases and sweep make up for it. */
function onInterrupt(host: Host, say: (text: string) => void, farewell: string | undefined): void {
  let askedAt: number | undefined;
  const interrupted = async () => {
    if (askedAt !== undefined) {
      if (Date.now() - askedAt > SAME_INTERRUPT) process.exit(130);
      return;
    }
    askedAt = Date.now();
    say('\nStopping: what runs may finish. Ctrl-C again stops at once.');
    const left = await host.drain(DRAIN_WITHIN);
    if (left > 0) say(`${left} did not finish in time; what they ran is retried in the next run.`);
    await host.stop();
    if (farewell !== undefined) say(farewell);
    process.exit(0);
  };
  const listener = () => {
    interrupted().catch((error: unknown) => fail(error));
  };
  process.on('SIGINT', listener);
  process.on('SIGTERM', listener);
}

/** The end of a run that could not start or stop: one sentence where we know it, all we have where we do not. */
export function fail(error: unknown): never {
  if (error instanceof LocalRunError) process.stderr.write(`${error.message}\n`);
  else console.error(error);
  process.exit(1);
}
