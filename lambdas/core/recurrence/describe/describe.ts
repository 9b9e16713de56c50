import { assertNever } from '../../errors.ts';
import type { Compiled } from '../compile.ts';
import type { Expression, IntervalExpression, RRuleExpression } from '../expression.ts';
import { clockText } from '../zones/local.ts';
import { describeCron } from './cron.ts';
import { capitalised, every, listed, plural, uncapitalised, zoneText } from './words.ts';

/** What a description is made from. */
export type Described = Pick<
  Compiled,
  'spec' | 'zone' | 'expressions' | 'exclusions' | 'startAt' | 'endAt' | 'windowMs'
>;

/** One English sentence without a full stop: "At 09:00, Monday to Friday, New York time". */
export function describe(compiled: Described): string {
  const { zone, expressions, exclusions, startAt, endAt, windowMs, spec } = compiled;
  const local = (millis: number): string => clockText(zone, millis);
  const texts = expressions.map(describeExpression);
  const parts = [texts.map((text, index) => (index === 0 ? text : uncapitalised(text))).join('; and ')];
  const saysStart = (expression: Expression): boolean =>
    (expression.kind === 'interval' && expression.anchored && expression.anchor === startAt) ||
    (expression.kind === 'rrule' && expression.anchored && expression.start * 1_000 === startAt);
  if (startAt !== undefined && !expressions.every(saysStart)) parts.push(`from ${local(startAt)}`);
  if (endAt !== undefined) parts.push(`until ${local(endAt)}`);
  const [first] = expressions;
  parts.push(zoneText(first && expressions.length === 1 ? first.zone.name : zone.name));
  if (exclusions.length > 0) parts.push(`except ${listed(exclusions.map(({ label }) => label))}`);
  const { onExcluded = 'skip' } = spec;
  if (exclusions.length > 0 && onExcluded !== 'skip')
    parts.push(`moved to the ${onExcluded === 'next-business-day' ? 'next' : 'previous'} business day`);
  if (windowMs > 0) parts.push(`started up to ${every(units(Math.ceil(windowMs / 1_000))).slice(6)} later`);
  return parts.join(', ');
}

function describeExpression(expression: Expression): string {
  switch (expression.kind) {
    case 'cron':
      return describeCron(expression.fields);
    case 'interval':
      return describeInterval(expression);
    case 'rrule':
      return describeRRule(expression);
    case 'once':
      return `Once, at ${clockText(expression.zone, expression.at)}`;
    default:
      return assertNever(expression);
  }
}

function describeInterval({ period, anchored, anchor, zone, count }: IntervalExpression): string {
  const amounts =
    period.kind === 'elapsed'
      ? units(period.seconds)
      : ([
          [Math.floor(period.step.months / 12), 'year'],
          [period.step.months % 12, 'month'],
          [period.step.days, 'day'],
        ] as const);
  const times = count === Infinity ? '' : `, ${count} times`;
  return `${capitalised(every(amounts))} from ${anchored ? clockText(zone, anchor) : 'its creation'}${times}`;
}

function units(seconds: number): (readonly [number, string])[] {
  return [
    [Math.floor(seconds / 3_600), 'hour'],
    [Math.floor(seconds / 60) % 60, 'minute'],
    [seconds % 60, 'second'],
  ];
}

function describeRRule({ rule, text, anchored, start, zone, added }: RRuleExpression): string {
  if (!rule) return `At ${added.length} ${plural(added.length, 'date')} of ${text}`;
  return `By the rule ${text} from ${anchored ? clockText(zone, start * 1_000) : 'its creation'}`;
}
