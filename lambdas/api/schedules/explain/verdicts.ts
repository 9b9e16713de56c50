import type { Occurrence } from '../../../core/occurrence/occurrence.ts';
import { type EpochMs, toIso } from '../../../core/time.ts';
import type { ExplanationView } from './explain-schema.ts';

export type Verdict = Pick<ExplanationView, 'decision' | 'rule' | 'message'>;

/** What became of an occurrence, in words. */
export function occurrenceVerdict(found: Occurrence, now: EpochMs): Verdict {
  const { status, attempt } = found;
  const isPast = found.scheduledTime <= now;
  const not = isPast ? 'did-not-run' : 'will-not-run';
  switch (status) {
    case 'succeeded':
      return ran(status, `It ran and succeeded, in attempt ${attempt}, at ${toIso(found.finishedAt)}.`);
    case 'failed':
      return ran(`${status}.${found.reason}`, `It ran and failed, in attempt ${attempt}: ${found.reason}.`);
    case 'running':
      return ran(status, `Attempt ${attempt} is running, since ${toIso(found.attemptStartedAt)}.`);
    case 'pending':
      return attempt > 0
        ? ran('retrying', `It ran; attempt ${attempt} failed, and the next is due at ${toIso(found.dueAt)}.`)
        : { decision: 'will-run', rule: 'pending', message: pendingMessage(found.dueAt, now) };
    case 'cancelled':
      return attempt > 0
        ? ran(`${status}.${found.reason}`, `It ran and was stopped: ${CANCELLED[found.reason]}.`)
        : {
            decision: not,
            rule: `${status}.${found.reason}`,
            message: `It was cancelled: ${CANCELLED[found.reason]}.`,
          };
    case 'skipped': {
      const by = found.blockedBy === undefined ? '' : ` (${found.blockedBy})`;
      const why =
        found.reason === 'user'
          ? 'A person skipped it.'
          : `Another occurrence${by} was running, and the overlap policy skips.`;
      return { decision: not, rule: `${status}.${found.reason}`, message: why };
    }
    case 'missed':
      return {
        decision: not,
        rule: `${status}.${found.reason}`,
        message: MISSED[found.reason],
      };
    case 'coalesced':
      return { decision: not, rule: `${status}.${found.reason}`, message: coalescedMessage(found) };
  }
}

function ran(rule: string, message: string): Verdict {
  return { decision: 'ran', rule, message };
}

function pendingMessage(dueAt: EpochMs, now: EpochMs): string {
  return dueAt > now
    ? `It is planned and due at ${toIso(dueAt)}.`
    : `It has been due since ${toIso(dueAt)} and waits to be started.`;
}

const MISSED = {
  'start-deadline': 'It could not start within its startDeadline.',
  'catch-up': 'It came late, and the catch-up policy did not run it.',
} as const;

const CANCELLED = {
  superseded: 'an edit of the schedule took its place',
  paused: 'the schedule was paused',
  deleted: 'the schedule was deleted',
  user: 'a person cancelled it',
  overlap: 'a later occurrence took its place, by the overlap policy',
} as const;

const COALESCED = {
  'catch-up': 'they came late, and the catch-up policy did not run them',
  superseded: 'an edit of the schedule ruled them out before they were created',
  paused: 'the schedule was paused',
  deleted: 'the schedule was deleted before they were created',
} as const;

function coalescedMessage({ coalesced, reason }: Occurrence & { status: 'coalesced' }): string {
  const { count, from, to } = coalesced;
  return `It is one of ${count} times from ${toIso(from)} to ${toIso(to)} that did not run: ${COALESCED[reason]}.`;
}
