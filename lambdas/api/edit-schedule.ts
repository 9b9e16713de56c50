import type { ScheduleRecord } from '../core/ports.ts';
import type { Definition } from '../core/schedule.ts';
import type { Move } from './change/move.ts';
import { assertFires, sameDefinition, sameTimes } from './definition.ts';
import type { ScheduleRequest } from './deps.ts';

/**
 * What an edit comes to; undefined when it changes nothing. Any other one, if only of tags or the description,
 * is a new revision that cancels what is pending and plans it again: a worker starts what belongs to the
 * revision in force, and that one rule is what makes an edit take effect at once (lambdas/core/standing.ts).
 */
export function editMove(
  { head, revision }: ScheduleRecord,
  definition: Definition,
  { id, caller }: ScheduleRequest,
): Move | undefined {
  if (sameDefinition(revision.definition, definition)) return undefined;
  if (!sameTimes(revision.definition, definition)) assertFires(id, definition, head.anchor, caller.now);
  return {
    // Paused stays paused; a completed one wakes up when its new times are not over.
    state: head.state === 'paused' ? 'paused' : 'enabled',
    definition,
    cancel: { kinds: 'scheduled', reason: 'superseded' },
    ...(head.pauseNote !== undefined && { pauseNote: head.pauseNote }),
  };
}
