import type { Invocation } from '../../core/ports.ts';
import { toIso } from '../../core/time.ts';

/** The JSON body that every target is given. */
export function payloadOf(invocation: Invocation): string {
  return JSON.stringify({
    id: invocation.id,
    schedule: invocation.schedule,
    scheduledTime: toIso(invocation.scheduledTime),
    attempt: invocation.attempt,
    kind: invocation.kind,
    revision: invocation.revision,
    idempotencyKey: invocation.idempotencyKey,
    fencingToken: invocation.fencingToken,
    input: invocation.input,
  });
}

export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = (error as NodeJS.ErrnoException).code;
  return code && !error.message.includes(code) ? `${code}: ${error.message}` : error.message;
}
