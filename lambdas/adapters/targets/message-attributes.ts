import type { Invocation } from '../../core/ports.ts';
import { toIso } from '../../core/time.ts';

const text = (StringValue: string) => ({ DataType: 'String', StringValue });

/** What a consumer of a queue or topic needs to recognise an occurrence without reading the body. */
export function messageAttributes(invocation: Invocation) {
  return {
    'idempotency-key': text(invocation.idempotencyKey),
    'punctual-scheduled-time': text(toIso(invocation.scheduledTime)),
    'punctual-attempt': text(String(invocation.attempt)),
    'punctual-fencing-token': text(String(invocation.fencingToken)),
  };
}
