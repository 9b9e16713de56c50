import { type EpochMs, epochMs, toIso } from '../../time.ts';
import { dstRule } from '../build.ts';
import { type Compiled, compile } from '../compile.ts';
import { cronWalls } from '../cron/walls.ts';
import { exclusionAt } from '../exclude/apply.ts';
import type { Expression } from '../expression.ts';
import { localText } from '../preview.ts';
import { quote, refusal } from '../refusal.ts';
import type { CompileContext, RecurrenceSpec } from '../spec.ts';
import type { FireNote } from '../types.ts';
import { fires } from '../union.ts';
import { wallText } from '../zones/civil.ts';
import { gapOver, instantsOf, parseMoment, wallAt } from '../zones/local.ts';
import { gapRule } from '../zones/zoned.ts';
import { mismatches } from './mismatch.ts';

/** Whether a time is a nominal time of a recurrence, and which rule says so. */
export interface Explanation {
  /** ISO instant; null when clocks skip the local time that was asked for. */
  readonly at: string | null;
  /** As asked or as clocks show it. */
  readonly local: string;
  readonly fires: boolean;
  /** The deciding rule. */
  readonly rule:
    | 'matches'
    | 'no-match'
    | 'excluded'
    | 'moved'
    | 'dst.gap'
    | 'dst.overlap'
    | 'before-start'
    | 'after-end';
  readonly message: string;
  readonly notes: readonly FireNote[];
  /** The fires on either side; ISO instants. */
  readonly previous: string | null;
  readonly next: string | null;
}

/**
 * Explains a time, given as an instant or as local text (`2026-03-08T02:30`), which may be one that clocks skip.
 * Throws as `compile` does, and `expression.invalid` naming `at`.
 */
export function explainAt(spec: RecurrenceSpec, context: CompileContext, at: EpochMs | string): Explanation {
  const compiled = compile(spec, context);
  if (typeof at !== 'string') return explainInstant(compiled, at);
  const moment = parseMoment(at);
  if (moment === undefined)
    throw refusal(
      { field: 'at', text: at },
      'expression.invalid',
      `${quote(at)} is not a time: give an instant such as 2026-12-01T09:00:00Z, or a local time without an offset.`,
    );
  const { kind, second, millis } = moment;
  const seconds = kind === 'instant' ? [second] : instantsOf(compiled.zone, second);
  const instants = seconds.map((one) => epochMs(one * 1_000 + millis));
  const asked = instants.find((one) => firesAt(compiled, one)) ?? instants[0];
  return asked === undefined ? explainSkipped(compiled, second) : explainInstant(compiled, asked);
}

function firesAt(compiled: Compiled, at: EpochMs): boolean {
  return compiled.next(epochMs(at - 1))?.at === at;
}

type Verdict = Pick<Explanation, 'fires' | 'rule' | 'message'> & { readonly notes?: readonly FireNote[] };

function explainInstant(compiled: Compiled, at: EpochMs): Explanation {
  const verdict = judge(compiled, at);
  return {
    at: toIso(at),
    local: localText(compiled.zone, at),
    notes: [],
    ...verdict,
    ...neighbours(compiled, at, at),
  };
}

function neighbours(compiled: Compiled, before: EpochMs, after: EpochMs) {
  const [previous, next] = [compiled.prev(before), compiled.next(after)];
  return { previous: previous && toIso(previous.at), next: next && toIso(next.at) };
}

function judge(compiled: Compiled, at: EpochMs): Verdict {
  const fire = compiled.next(epochMs(at - 1));
  if (fire?.at === at) {
    const notes = fire.notes;
    const why = notes[0]?.message ?? `It is a time of ${compiled.description}.`;
    return { fires: true, rule: 'matches', message: why, notes };
  }
  if (!compiled.sources.some((source) => fires(source, at))) return judgeTexts(compiled, at);
  if (compiled.startAt !== undefined && at < compiled.startAt)
    return no('before-start', `It matches, but is before startAt, ${toIso(compiled.startAt)}.`);
  if (compiled.endAt !== undefined && at > compiled.endAt)
    return no('after-end', `It matches, but is after endAt, ${toIso(compiled.endAt)}.`);
  const exclusion = exclusionAt(compiled.exclusions, at);
  const label = exclusion?.label ?? 'an exclusion';
  if (exclusion?.closesDays && compiled.spec.onExcluded !== undefined && compiled.spec.onExcluded !== 'skip')
    return no(
      'moved',
      `It matches, but ${label} closes the day; it moves to the ${compiled.spec.onExcluded}.`,
    );
  return no('excluded', `It matches, but is excluded by ${label}.`);
}

function no(rule: Explanation['rule'], message: string): Verdict {
  return { fires: false, rule, message };
}

/** No expression fires: why the one that comes nearest does not. */
function judgeTexts({ expressions }: Compiled, at: EpochMs): Verdict {
  const verdicts = expressions.map((expression) => judgeText(expression, at));
  const verdict = verdicts.find(({ rule }) => rule !== 'no-match') ?? verdicts[0];
  if (!verdict || verdicts.length === 1) return verdict ?? no('no-match', 'There is no expression.');
  return { ...verdict, message: verdicts.map(({ message }) => message).join(' ') };
}

function judgeText(expression: Expression, at: EpochMs): Verdict {
  if (expression.kind === 'once') return no('no-match', `It fires only once, at ${toIso(expression.at)}.`);
  if (expression.kind === 'interval') return no('no-match', 'It is not one of the times of the interval.');
  if (at % 1_000 !== 0) return no('no-match', 'Fires are at whole seconds.');
  if (expression.kind === 'rrule') return no('no-match', 'It is not one of the times of the rule.');
  const wall = wallAt(expression.zone, at / 1_000);
  const reasons = mismatches(expression.fields, wall);
  if (reasons.length > 0) return no('no-match', `${reasons.map(({ message }) => message).join('; ')}.`);
  const pass = instantsOf(expression.zone, wall)[0] === at / 1_000 ? 'first' : 'second';
  return no(
    'dst.overlap',
    `${wallText(wall)} comes twice when clocks go back; this is the ${pass} pass, and only the other one runs.`,
  );
}

/** A local time in a gap: it may have run elsewhere. */
function explainSkipped(compiled: Compiled, wall: number): Explanation {
  const { end, length, before } = gapOver(compiled.zone, wall);
  const jump = epochMs(end * 1_000);
  const outcomes = compiled.expressions.map((expression) => {
    if (expression.kind !== 'cron' || cronWalls(expression.fields).next(wall) !== wall) return undefined;
    const gap = gapRule(dstRule(expression, compiled.spec.dst ?? {}), length);
    if (gap === 'skip') return 'it does not run';
    const instead = gap === 'shift' ? wall + length : end + before + length;
    return `it runs at ${wallText(instead)} instead`;
  });
  const outcome = outcomes.find((text) => text !== undefined) ?? 'and no expression names it';
  return {
    at: null,
    local: wallText(wall),
    fires: false,
    rule: 'dst.gap',
    message: `${wallText(wall)} does not exist in ${compiled.zone.name}: clocks go forward over it; ${outcome}.`,
    notes: [],
    ...neighbours(compiled, jump, epochMs(jump - 1)),
  };
}
