import { idempotencyKey, occurrenceId } from '../ids.ts';
import { isCatchUp } from '../occurrence/notes.ts';
import type { RunningOccurrence } from '../occurrence/occurrence.ts';
import type { Invocation } from '../ports/target-caller.ts';
import type { Recurrence } from '../recurrence/types.ts';
import type { Definition } from '../schedule/definition.ts';
import { planningPolicy, type ScheduleHead } from '../schedule/head.ts';
import { headRecurrence } from '../schedule/head-recurrence.ts';
import type { Revision } from '../schedule/revision.ts';
import { kindOf } from '../targets/index.ts';
import { fillPlaceholders } from '../targets/placeholders.ts';
import { toIso } from '../time.ts';

/** What a target is given for an attempt. The neighbouring times make a data window of the occurrence. */
export function invocationOf(
  running: RunningOccurrence,
  {
    definition,
    revision,
  }: Pick<Revision, 'revision'> & {
    readonly definition: Pick<Definition, 'input' | 'target' | 'completion'>;
  },
  recurrence: Pick<Recurrence, 'next' | 'prev'>,
): Invocation {
  const id = occurrenceId(running);
  const about = {
    id,
    schedule: running.schedule,
    scheduledTime: running.scheduledTime,
    previousScheduledTime: recurrence.prev(running.scheduledTime)?.at ?? null,
    nextScheduledTime: recurrence.next(running.scheduledTime)?.at ?? null,
    attempt: running.attempt,
    kind: running.kind,
    isCatchUp: isCatchUp(running),
    revision,
    idempotencyKey: idempotencyKey(id),
    fencingToken: running.fencingToken,
  };
  const token = givesToken(definition) ? completionToken(running) : undefined;
  return {
    ...about,
    ...(token !== undefined && { completionToken: token }),
    input: fillPlaceholders(definition.input, toWire(about)),
  };
}

/** For the times around an occurrence. That its text can no longer be read is no reason not to run it. */
export function adjacentTimes(
  head: ScheduleHead,
  { definition, calendars }: Pick<Revision, 'definition' | 'calendars'>,
): Pick<Recurrence, 'next' | 'prev'> {
  try {
    return headRecurrence({ ...head, policy: planningPolicy(definition, calendars) });
  } catch {
    return { next: () => null, prev: () => null };
  }
}

/** Times as targets read them. */
export function toWire(about: Omit<Invocation, 'input' | 'completionToken'>) {
  const time = (at: number | null) => (at === null ? null : toIso(at));
  return {
    ...about,
    scheduledTime: toIso(about.scheduledTime),
    previousScheduledTime: time(about.previousScheduledTime),
    nextScheduledTime: time(about.nextScheduledTime),
  };
}

function givesToken({ target, completion }: Pick<Definition, 'target' | 'completion'>): boolean {
  return completion === 'callback' || kindOf(target).mayFinishLater;
}

/**
 * What ends or extends an attempt from outside: its fencing token, so that one of an older attempt is stale, and
 * a secret, so that nobody can make one up.
 */
export function completionToken(
  running: Pick<RunningOccurrence, 'fencingToken' | 'secret'>,
): string | undefined {
  return running.secret === undefined ? undefined : `${running.fencingToken}.${running.secret}`;
}
