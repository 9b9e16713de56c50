import { createHash, timingSafeEqual } from 'node:crypto';
import { knownDurationMs } from '../duration.ts';
import type { Occurrence } from '../occurrence/occurrence.ts';
import type { Definition } from '../schedule/definition.ts';

/** How long an attempt that goes on outside may stay silent. */
export function heartbeatTimeoutMs(definition: Pick<Definition, 'timeout' | 'heartbeatTimeout'>): number {
  return knownDurationMs(definition.heartbeatTimeout ?? definition.timeout);
}

/** Whether a completion token (invocation.ts) is that of the occurrence's latest attempt. */
export function isTokenOf(
  token: string,
  { fencingToken, secret }: Pick<Occurrence, 'fencingToken' | 'secret'>,
): boolean {
  // Compared as a whole and as hashes: neither length nor place of a difference shows in the time it takes.
  const expected = secret === undefined ? '' : `${fencingToken}.${secret}`;
  return timingSafeEqual(digest(token), digest(expected)) && secret !== undefined;
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
