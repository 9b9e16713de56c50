import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { LocalRunError } from '../errors.ts';
import { engineBinary } from './binary.ts';
import { type Child, spawnBound } from './child.ts';
import type { DynamoDbEngine } from './engine.ts';
import { freePort, LOOPBACK } from './ports.ts';
import { indexStreamRecords, trimStreamRecords } from './stream-records.ts';

/** Milliseconds. It listens after tens of them; a machine that is busy with other things takes longer. */
const START_TIMEOUT = 20_000;
const ATTEMPTS = 5;

export interface Dynoxide extends DynamoDbEngine {
  readonly databasePath: string;
}

/**
 * Starts DynamoDB's stand-in with its database in `directory`, on a free port of this machine. A directory
 * that is thrown away goes with the engine, also when this process is killed.
 */
export async function startDynoxide(directory: string, { throwAway = false } = {}): Promise<Dynoxide> {
  const binary = engineBinary();
  mkdirSync(directory, { recursive: true });
  const databasePath = join(directory, 'dynamodb.sqlite');
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort();
    const args = ['serve', '--host', LOOPBACK, '--port', String(port), '--db-path', databasePath];
    const child = spawnBound(binary, args, throwAway ? directory : '');
    const outcome = await started(child);
    if (outcome.kind === 'listening') {
      indexStreamRecords(databasePath);
      return engineOf(child, port, databasePath);
    }
    await child.stop();
    // Another process may have taken the port in the meantime; that is the one fault worth another try.
    if (attempt < ATTEMPTS && /address (already )?in use/i.test(outcome.output)) continue;
    throw new LocalRunError(
      `The embedded engine did not start: ${outcome.output.trim() || 'it said nothing'}`,
    );
  }
}

type Started = { kind: 'listening' } | { kind: 'ended'; output: string };

function started({ process: child }: Child): Promise<Started> {
  return new Promise((resolve) => {
    let output = '';
    const read = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-2000);
      if (output.includes('listening on')) resolve({ kind: 'listening' });
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('error', (error) => resolve({ kind: 'ended', output: error.message }));
    child.once('exit', () => resolve({ kind: 'ended', output }));
    setTimeout(
      () => resolve({ kind: 'ended', output: `no answer in time. ${output}` }),
      START_TIMEOUT,
    ).unref();
  });
}

/** Milliseconds between two trims of old stream records. */
const TRIM_EVERY = 600_000;

function keepTrimmed(databasePath: string): NodeJS.Timeout {
  trimStreamRecords(databasePath, Date.now());
  return setInterval(() => trimStreamRecords(databasePath, Date.now()), TRIM_EVERY).unref();
}

function engineOf(child: Child, port: number, databasePath: string): Dynoxide {
  const upkeep = keepTrimmed(databasePath);
  let stopping = false;
  return {
    databasePath,
    endpoint: `http://${LOOPBACK}:${port}`,
    died: new Promise((resolve) => {
      child.process.once('exit', (code, signal) => {
        if (!stopping) resolve(`The embedded engine ended by itself (${signal ?? `exit code ${code}`}).`);
      });
    }),
    stop() {
      stopping = true;
      clearInterval(upkeep);
      return child.stop();
    },
  };
}
