import { count, logger, milliseconds } from '../adapters/telemetry.ts';
import { type WorkMessage, workMessageSchema } from '../contract/message.ts';
import { METRIC } from '../contract/metrics.ts';
import { type OccurrenceId, type OccurrenceKey, parseOccurrenceId, splitScheduleId } from '../core/ids.ts';
import type { DeadLetters } from '../core/ports/work-queue.ts';
import { isCanary } from '../core/schedule/canary-definition.ts';
import type { WorkDeps, WorkEnd } from './work.ts';
import { workOn } from './work-on.ts';

/**
 * One message of the work queue, from its text to its log line. Throws only for faults of the store or the
 * queue: the message then stays and comes again. One that can never be read goes to the dead-letter queue.
 */
export async function handleMessage(
  deps: WorkDeps & { readonly deadLetters: DeadLetters },
  body: string,
  holder: string,
): Promise<void> {
  const read = readMessage(body);
  const onEnd = async (end: WorkEnd) => {
    if (end.kind === 'unreadable') await deps.deadLetters.reject(body, end.reason);
    report(end);
  };
  if (typeof read === 'string') return onEnd({ kind: 'unreadable', reason: read });
  const onFault = (id: string, error: unknown) =>
    logger.warn('An occurrence that was let in could not be started here; it is sent to the work queue', {
      id,
      error: error as Error,
    });
  await workOn({ ...deps, onEnd, onFault }, read, holder);
}

/** The message, or why it is none. */
function readMessage(body: string): WorkMessage | string {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    return 'Not JSON';
  }
  const parsed = workMessageSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  return parsed.error.issues
    .map((issue) => `${issue.path.join('.') || 'message'}: ${issue.message}`)
    .join('; ');
}

function report(end: WorkEnd): void {
  if ('id' in end && isCanary(keyOf(end.id))) {
    logger.info('Canary', { ...end });
    return;
  }
  if (end.kind === 'unreadable') {
    count(METRIC.messagesRejected, 1);
    logger.error('A message of the work queue cannot be read; it is on the dead-letter queue', { ...end });
    return;
  }
  if ('startDelayMs' in end && end.attempt === 1 && wasOnTime(end.id))
    milliseconds(METRIC.startDelayMs, end.startDelayMs);
  // The group: the dashboard's list of those that run most is made from these lines.
  logger.info('Occurrence', { ...end, group: splitScheduleId(keyOf(end.id).schedule).group });
}

/** Of an occurrence that was worked on, whose id could be read. */
function keyOf(id: OccurrenceId): OccurrenceKey {
  const key = parseOccurrenceId(id);
  if (!key) throw new Error(`Not an occurrence id: ${id}`);
  return key;
}

/** Those of a backfill wait for each other: how long says nothing about the scheduler. */
function wasOnTime(id: OccurrenceId): boolean {
  return keyOf(id).kind !== 'backfill';
}
