import { occurrenceId, type ScheduleId } from '../../../core/ids.ts';
import { type Compiled, type Explanation, explainAt } from '../../../core/recurrence/index.ts';
import { planningPolicy, type ScheduleHead } from '../../../core/schedule/head.ts';
import { headRecurrence, specOf } from '../../../core/schedule/head-recurrence.ts';
import type { Revision } from '../../../core/schedule/revision.ts';
import { isWithinRuns } from '../../../core/schedule/within-runs.ts';
import { type EpochMs, epochMs, parseInstant, toIso } from '../../../core/time.ts';
import type { Occurrences, Schedules } from '../../deps.ts';
import { nextWanted } from '../../overrides/next-wanted.ts';
import { scheduleNotFound } from '../change/current-schedule.ts';
import type { ExplanationView } from './explain-schema.ts';
import { recordAt } from './record-at.ts';
import { revisionAt } from './revision-at.ts';
import { occurrenceVerdict, type Verdict } from './verdicts.ts';

export interface ExplainDeps {
  readonly schedules: Pick<Schedules, 'readHead' | 'readRevision'>;
  readonly occurrences: Pick<Occurrences, 'listOccurrences'>;
}

/**
 * Why a schedule did, did not or will not run at a time. What the ledger has comes first, since it is what
 * happened; then whether it was a time of the definition in force then; then how the schedule stood.
 */
export async function explainSchedule(
  deps: ExplainDeps,
  id: ScheduleId,
  at: string,
  now: EpochMs,
): Promise<ExplanationView> {
  const head = await deps.schedules.readHead(id);
  if (!head) throw scheduleNotFound(id);
  const { revision, times } = await timesAt(deps, head, at);
  const next = await wantedAfter(deps, head, times);
  const answer = (verdict: Verdict, more: Partial<ExplanationView> = {}): ExplanationView => ({
    at: times.at,
    local: times.local,
    ...verdict,
    revision: revision.revision,
    notes: [...times.notes],
    previous: times.previous,
    next,
    ...more,
  });
  const instant = times.at === null ? undefined : parseInstant(times.at);
  if (instant === undefined) return answer(timesVerdict(times, times.next ?? times.previous, now));
  const found = await recordAt(deps.occurrences, id, instant);
  // A range stands for the nominal times in it only.
  if (found && (found.status !== 'coalesced' || times.fires)) {
    const notes = found.status === 'coalesced' ? times.notes : found.notes;
    return answer(occurrenceVerdict(found, now), {
      occurrence: occurrenceId(found),
      notes: [...notes],
      revision: found.revision,
    });
  }
  if (instant < head.createdAt)
    return answer(
      not('before-creation', `The schedule was created at ${toIso(head.createdAt)}.`, instant, now),
    );
  if (!times.fires) return answer(timesVerdict(times, times.at, now));
  return answer(standingVerdict(head, headRecurrence(head), instant, now));
}

/** What comes next, as long as a person has not decided against it. */
async function wantedAfter({ occurrences }: ExplainDeps, head: ScheduleHead, { next }: Explanation) {
  const first = next === null ? undefined : parseInstant(next);
  if (first === undefined) return next;
  const times = await nextWanted(occurrences, head, headRecurrence(head), first);
  const wanted = times?.at(-1);
  return wanted === undefined ? null : wanted === first ? next : toIso(wanted);
}

/** What the definition in force at a time says of it. A local time is read in the zone of the latest one. */
async function timesAt(
  { schedules }: ExplainDeps,
  head: ScheduleHead,
  at: string,
): Promise<{ readonly revision: Revision; readonly times: Explanation }> {
  const explain = ({ definition, calendars }: Revision): Explanation => {
    const policy = planningPolicy(definition, calendars);
    const pins = (calendars ?? []).flatMap(({ name, definition: content }) =>
      content ? [[name, content] as const] : [],
    );
    const context = { seed: head.id, anchor: head.anchor, calendars: new Map(pins) };
    return explainAt(specOf(policy), context, at);
  };
  const latest = await revisionAt(schedules, head, epochMs(Number.MAX_SAFE_INTEGER));
  const first = explain(latest);
  const instant = parseInstant(first.at ?? first.previous ?? first.next ?? '');
  const then = instant === undefined ? latest : await revisionAt(schedules, head, instant);
  return then.revision === latest.revision
    ? { revision: latest, times: first }
    : { revision: then, times: explain(then) };
}

function timesVerdict({ rule, message }: Explanation, at: string | null, now: EpochMs): Verdict {
  return not(rule, message, at === null ? now : epochMs(Date.parse(at)), now);
}

function not(rule: string, message: string, at: EpochMs, now: EpochMs): Verdict {
  return { decision: at > now ? 'will-not-run' : 'did-not-run', rule, message };
}

/** Of a time of its definition that the ledger knows nothing of: how the schedule stands decides. */
function standingVerdict(head: ScheduleHead, recurrence: Compiled, at: EpochMs, now: EpochMs): Verdict {
  const { state, pause, nextDueAt } = head;
  if (state === 'deleted') {
    return at >= head.updatedAt
      ? not('deleted', `The schedule was deleted at ${toIso(head.updatedAt)}.`, at, now)
      : expired();
  }
  if (pause && at > pause.from && (pause.until === undefined || at < pause.until)) {
    const note = pause.note === undefined ? '' : `: ${pause.note}`;
    const until = pause.until === undefined ? '' : ` until ${toIso(pause.until)}`;
    return not(
      'paused',
      `The schedule is paused since ${toIso(pause.since)}${until}, by ${pause.by}${note}.`,
      at,
      now,
    );
  }
  if (pause && at > now) return willRun(`The pause ends at ${toIso(pause.until ?? now)}, before it.`);
  if (state === 'completed' && at > now) return not(...completedBy(head), at, now);
  if (state !== 'enabled' || nextDueAt === null || (at < nextDueAt && at <= now)) return expired();
  if (at < nextDueAt) return not('kept', KEPT, at, now);
  if (!isWithinRuns(head, recurrence, at)) return not(...maxRuns(head), at, now);
  if (at <= now)
    return { decision: 'will-run', rule: 'due', message: 'It is due; the tick that creates it is late.' };
  return willRun(`It is a time of ${recurrence.description}.`);
}

/** An edit that keeps what is pending begins behind it. */
const KEPT = 'What an older definition had planned until then still runs; this one goes on behind it.';

function willRun(message: string): Verdict {
  return { decision: 'will-run', rule: 'matches', message };
}

function expired(): Verdict {
  return {
    decision: 'unknown',
    rule: 'expired',
    message: 'It was a time of the schedule; its record is no longer kept.',
  };
}

function completedBy(head: ScheduleHead): [string, string] {
  return head.remainingRuns === 0
    ? maxRuns(head)
    : ['completed', 'The schedule is completed: it has no time left.'];
}

function maxRuns({ lastRunAt }: ScheduleHead): [string, string] {
  const last = lastRunAt === undefined ? '' : ` The last was at ${toIso(lastRunAt)}.`;
  return ['max-runs', `maxRuns is reached before it.${last}`];
}
