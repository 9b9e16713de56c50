import { PunctualError } from '../../core/errors.ts';
import type { ScheduleId } from '../../core/ids.ts';
import type { ScheduleHead } from '../../core/schedule/head.ts';

type Tagged = Pick<ScheduleHead, 'version' | 'firstRevision'>;

/**
 * Once the tombstone of a name is purged its versions may come again, and its revisions never do: the first one tells
 * lives of a name apart. A calendar's tombstone is kept for ever.
 */
export function etagOf({ version, firstRevision = 1 }: Tagged): string {
  return firstRevision === 1 ? `"${version}"` : `"${firstRevision}.${version}"`;
}

/**
 * RFC 9110, If-Match: the change goes ahead only if what it changes is still what the caller saw. Without the
 * header the last writer wins. Compared strongly: `W/"3"` matches nothing.
 */
export function assertIfMatch(
  ifMatch: string | undefined,
  found: Tagged | undefined,
  what: 'schedule' | 'calendar' = 'schedule',
): void {
  if (ifMatch === undefined) return;
  const wanted = ifMatch.split(',').map((tag) => tag.trim());
  if (found && (wanted.includes('*') || wanted.includes(etagOf(found)))) return;
  const stands = found ? `is at ${etagOf(found)}` : 'does not exist';
  throw new PunctualError(`${what}.stale`, `The ${what} ${stands}. Read it again and repeat the change.`, {
    field: 'If-Match',
    value: ifMatch,
  });
}

/** `If-None-Match: *` makes a PUT create only. */
export function assertIfNoneMatch(ifNoneMatch: '*' | undefined, head: ScheduleHead | undefined): void {
  if (ifNoneMatch !== undefined && head) {
    throw new PunctualError('schedule.stale', `The schedule exists already, at ${etagOf(head)}.`, {
      field: 'If-None-Match',
      value: ifNoneMatch,
    });
  }
}

/**
 * A definition switches nothing: the state that was read may stand beside it for as long as it is so. Whether it is
 * completed follows from its times, and may have changed since it was read.
 */
export function assertStated(stated: unknown, head: ScheduleHead | undefined, id: ScheduleId): void {
  if (stated === undefined) return;
  const isPaused = head?.state === 'paused';
  if (isPaused ? stated === 'paused' : stated === 'enabled' || stated === 'completed') return;
  const verb = isPaused
    ? `POST /schedules/${id}/resume lets it go on`
    : `POST /schedules/${id}/pause pauses it`;
  const stands = head ? `The schedule is ${head.state}` : 'A schedule begins enabled';
  throw new PunctualError('request.invalid', `state: ${stands}; ${verb}, and an edit does not.`, {
    field: 'state',
    value: stated,
  });
}
