import { styleText } from 'node:util';
import type { AttemptRecord, Occurrence } from '../../lambdas/core/occurrence/occurrence.ts';
import type { Change } from './changes.ts';

/** One line: when, what happened, to which schedule's which time, and the figure that matters. */
export function lineOf(change: Change): string {
  const { occurrence } = change;
  const subject = `${occurrence.schedule}  ${clockTime(occurrence.scheduledTime)}`;
  switch (change.kind) {
    case 'started': {
      const { attemptStartedAt, dueAt, attempt } = change.occurrence;
      const nth = attempt > 1 ? `, attempt ${attempt}` : '';
      return line(
        attemptStartedAt,
        '▶',
        'started',
        subject,
        `${duration(attemptStartedAt - dueAt)} after due${nth}`,
      );
    }
    case 'retrying': {
      const last = occurrence.attempts.at(-1);
      const detail = `${why(last)}; attempt ${occurrence.attempt + 1} at ${clockTime(occurrence.dueAt)}`;
      return line(last?.finishedAt ?? occurrence.dueAt, '↻', 'retrying', subject, detail, 'yellow');
    }
    case 'ended':
      return ended(occurrence, subject);
  }
}

function ended(occurrence: Occurrence, subject: string): string {
  const at = 'finishedAt' in occurrence ? occurrence.finishedAt : occurrence.dueAt;
  const last = occurrence.attempts.at(-1);
  switch (occurrence.status) {
    case 'succeeded': {
      const took = last ? `${duration(last.finishedAt - last.startedAt)}` : '';
      return line(at, '✓', 'succeeded', subject, took, 'green');
    }
    case 'failed':
      return line(at, '✗', 'failed', subject, `${occurrence.reason}: ${why(last)}`, 'red');
    default: {
      const reason = 'reason' in occurrence ? occurrence.reason : '';
      return line(at, '–', occurrence.status, subject, reason, 'yellow');
    }
  }
}

type Colour = 'green' | 'red' | 'yellow';

function line(
  at: number,
  mark: string,
  word: string,
  subject: string,
  detail: string,
  colour?: Colour,
): string {
  const head = `${mark} ${word.padEnd(9)}`;
  const text = `${styleText('dim', clockTime(at, true))}  ${colour ? styleText(colour, head) : head}  ${subject}`;
  return detail === '' ? text : `${text}  ${styleText('dim', detail)}`;
}

const why = (attempt: AttemptRecord | undefined) => attempt?.detail ?? attempt?.outcome ?? 'unknown';

/** The time of day where the terminal is. */
export function clockTime(at: number, millis = false): string {
  const date = new Date(at);
  const parts = [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) =>
    String(part).padStart(2, '0'),
  );
  return parts.join(':') + (millis ? `.${String(date.getMilliseconds()).padStart(3, '0')}` : '');
}

export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  return `${Math.round(ms / 60_000)} min`;
}
