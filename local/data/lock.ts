import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { LocalRunError } from '../errors.ts';

/**
 * Takes a data directory for this process. The lock is one that the system holds for an open database, so it
 * is gone with the process however that ends, and no stale lock file is ever in the way.
 */
export function lockDirectory(directory: string): { release(): void } {
  const database = openLock(directory);
  const holder = join(directory, 'run.pid');
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE;');
  } catch (error) {
    database.close();
    if (!/locked/.test((error as Error).message)) throw error;
    throw new LocalRunError(
      `Another run (process ${readHolder(holder)}) uses the data in ${directory}: stop it, or choose another with --data.`,
    );
  }
  writeFileSync(holder, String(process.pid));
  return { release: () => database.close() };
}

function openLock(directory: string): DatabaseSync {
  try {
    mkdirSync(directory, { recursive: true });
    return new DatabaseSync(join(directory, 'run.lock'));
  } catch (error) {
    throw new LocalRunError(`The data cannot be kept in ${directory}: ${(error as Error).message}.`);
  }
}

function readHolder(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return 'unknown';
  }
}
