import { PunctualError } from '../../core/errors.ts';

/**
 * Where a list goes on, as opaque text. `scope` binds it to the query it came from: a cursor of one list given
 * to another is refused rather than answered with the wrong page.
 */
export function encodeCursor(scope: string, key: Record<string, unknown>): string {
  return Buffer.from(JSON.stringify([scope, key])).toString('base64url');
}

export function decodeCursor(scope: string, cursor: string): Record<string, unknown> {
  try {
    const [owner, key] = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (owner === scope && typeof key === 'object' && key !== null && isFlat(key)) return key;
  } catch {
    // Falls through: text that does not decode and text of another list are the same fault to the caller.
  }
  throw foreignCursor(cursor);
}

/** Runs a read that starts at a cursor's key; a key that the table does not accept is the cursor's fault. */
export async function refuseForeignCursor<Answer>(
  cursor: string | undefined,
  read: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await read();
  } catch (error) {
    if (cursor !== undefined && (error as Error).name === 'ValidationException') throw foreignCursor(cursor);
    throw error;
  }
}

export function foreignCursor(cursor: string): PunctualError {
  return new PunctualError(
    'cursor.invalid',
    'The cursor is not one that this list gave out. Leave it off to start from the beginning.',
    { field: 'cursor', value: cursor.slice(0, 100) },
  );
}

function isFlat(key: object): boolean {
  return Object.values(key).every((value) => typeof value === 'string' || typeof value === 'number');
}
