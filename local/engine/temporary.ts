import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Linux's memory-backed file system: a database that is thrown away need not wait for a disk. */
const MEMORY = '/dev/shm';

/** A new directory that is gone when the process ends, in memory where the system offers that. */
export function temporaryDirectory(prefix = 'punctual-'): { path: string; remove(): void } {
  const path = mkdtempSync(join(memoryBacked() ? MEMORY : tmpdir(), prefix));
  const remove = () => rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  process.once('exit', remove);
  return {
    path,
    remove() {
      process.off('exit', remove);
      remove();
    },
  };
}

function memoryBacked(): boolean {
  try {
    accessSync(MEMORY, constants.W_OK);
    return process.platform === 'linux';
  } catch {
    return false;
  }
}
