import { toWire } from '../../core/attempt/invocation.ts';
import type { Invocation } from '../../core/ports/target-caller.ts';

/** The JSON body that every target is given. */
export function payloadOf(invocation: Invocation): string {
  const { input, ...about } = invocation;
  return JSON.stringify({ ...toWire(about), input });
}

export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = (error as NodeJS.ErrnoException).code;
  return code && !error.message.includes(code) ? `${code}: ${error.message}` : error.message;
}
