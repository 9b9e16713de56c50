import pMap from 'p-map';
import { isPunctualError, type PunctualError } from '../../core/errors.ts';
import type { ScheduleId } from '../../core/ids.ts';
import { samePins } from '../../core/schedule/calendar.ts';
import { planningPolicy } from '../../core/schedule/head.ts';
import { headRecurrence } from '../../core/schedule/head-recurrence.ts';
import { SECOND } from '../../core/time.ts';
import type { ApiDeps, Caller } from '../deps.ts';
import { commit, type Decide } from '../schedules/change/commit.ts';
import { pinCalendars } from '../schedules/change/pin-calendars.ts';

/**
 * Each checks the calendar's one item in its transaction, and a quota's group is one item too: more only meet each other.
 * It is some hundreds within the time limit.
 */
const CONCURRENCY = 4;
/** No schedule is begun after this; the function answers within 29 seconds. Those that do not fit stay as they were. */
const TIME_LIMIT = 20 * SECOND;

type Left = { readonly schedule: ScheduleId; readonly error?: PunctualError };

/** Has each schedule use its calendars as they are now. Answers those that stay as they were. */
export async function moveUsers(
  deps: ApiDeps,
  schedules: readonly ScheduleId[],
  caller: Caller,
): Promise<readonly Left[]> {
  const stopAt = caller.now + TIME_LIMIT;
  const left = await pMap(
    schedules,
    async (schedule): Promise<Left | undefined> => {
      if (deps.clock.now() >= stopAt) return { schedule };
      try {
        await commit(deps, schedule, caller, moving(deps, schedule));
        return undefined;
      } catch (error) {
        // One that the edit leaves no time for, say: it stays at the version that it was made with.
        if (isPunctualError(error)) return { schedule, error };
        throw error;
      }
    },
    { concurrency: CONCURRENCY },
  );
  return left.filter((one) => one !== undefined);
}

/** The same definition as a new revision, which means the calendars of today. */
function moving({ schedules }: Pick<ApiDeps, 'schedules'>, id: ScheduleId): Decide {
  return async (current) => {
    if (current.kind !== 'live') return undefined;
    const { head, revision } = current;
    const { definition } = revision;
    const calendars = await pinCalendars(schedules, definition);
    if (samePins(revision.calendars, calendars)) return undefined;
    // Refused here rather than by each tick from now on.
    headRecurrence({ id, policy: planningPolicy(definition, calendars), anchor: head.anchor });
    return {
      state: head.state === 'paused' ? 'paused' : 'enabled',
      definition,
      calendars,
      cancel: { kinds: 'coming', reason: 'superseded' },
    };
  };
}
