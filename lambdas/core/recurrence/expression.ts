import type { DialectName, FieldName } from './cron/dialect.ts';
import type { CronFields } from './cron/fields.ts';
import type { Terms } from './interval.ts';
import type { Period } from './period.ts';
import type { Rule } from './rrule/rule.ts';
import type { Zone } from './zones/zone.ts';

/** One time text, read: what it says, free of how it was spelled. */
export type Expression = CronExpression | IntervalExpression | OnceExpression | RRuleExpression;

export interface CronExpression {
  readonly kind: 'cron';
  readonly dialect: DialectName;
  readonly fields: CronFields;
  readonly zone: Zone;
  /** How many fields the text had; 5 has no seconds. */
  readonly fieldCount: number;
  /** Whether a day field is `?`, as Quartz texts have it. */
  readonly questionMark: boolean;
  /** Whether weekdays are given as numbers, which dialects count from different days. */
  readonly numericWeekday: boolean;
  /** The steps over whole fields, `*` or the least value, a slash and a step. */
  readonly steps: Readonly<Partial<Record<FieldName, number>>>;
  /** Whether `H` makes it depend on the schedule id. */
  readonly hashed: boolean;
}

export interface IntervalExpression {
  readonly kind: 'interval';
  readonly period: Period;
  /** UTC milliseconds of term 0. */
  readonly anchor: number;
  /** Wall seconds of term 0, whole ones: where calendar steps start. */
  readonly anchorWall: number;
  /** Whether the text or `startAt` named the anchor; otherwise it is the creation, and the first fire one period later. */
  readonly anchored: boolean;
  readonly terms: Terms;
  /** How many fires a repeating interval has; Infinity for an endless one. */
  readonly count: number;
  readonly zone: Zone;
}

export interface OnceExpression {
  readonly kind: 'once';
  /** UTC milliseconds. */
  readonly at: number;
  readonly zone: Zone;
}

export interface RRuleExpression {
  readonly kind: 'rrule';
  /** Undefined when the text has only RDATE. */
  readonly rule: Rule | undefined;
  /** The RRULE as written. */
  readonly text: string;
  /** Whether DTSTART or `startAt` says where it starts; otherwise that is the creation time. */
  readonly anchored: boolean;
  /** UTC seconds of DTSTART. */
  readonly start: number;
  /** DTSTART's zone, or the schedule's when that floats. */
  readonly zone: Zone;
  /** COUNT; Infinity without it. */
  readonly count: number;
  /** UTC milliseconds of the last fire that COUNT allows where the schedule chooses no `dst`. */
  readonly last: number;
  /** UTC milliseconds of UNTIL, included; Infinity without it. */
  readonly until: number;
  /** UTC milliseconds: EXDATE and RDATE, which is DTSTART too when there is no rule. */
  readonly excluded: readonly number[];
  readonly added: readonly number[];
}
