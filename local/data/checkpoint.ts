import { readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface Checkpoint {
  /** Where the last run stopped; undefined before the first. */
  readonly sequenceNumber: string | undefined;
  save(sequenceNumber: string): Promise<void>;
}

/** How far the relay has come in the stream. Behind the truth after a kill: what follows is delivered again. */
export function openCheckpoint(directory: string): Checkpoint {
  const file = join(directory, 'stream-checkpoint');
  return {
    sequenceNumber: readIfThere(file),
    async save(sequenceNumber) {
      // Never half written: the name changes over in one step.
      await writeFile(`${file}.new`, sequenceNumber);
      await rename(`${file}.new`, file);
    },
  };
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}
