import type { Json } from './schedule.ts';

/**
 * Names that `{{punctual.<name>}}` in an input stands for. A text that is one placeholder and nothing else
 * becomes the value itself (a number stays a number); inside other text it becomes text.
 */
export const PLACEHOLDERS = [
  'id',
  'schedule',
  'scheduledTime',
  'previousScheduledTime',
  'nextScheduledTime',
  'attempt',
  'kind',
  'isCatchUp',
  'revision',
  'idempotencyKey',
  'fencingToken',
] as const;

export type Placeholder = (typeof PLACEHOLDERS)[number];
export type PlaceholderValues = Readonly<Record<Placeholder, string | number | boolean | null>>;

const PATTERN = /\{\{punctual\.([^{}]*)\}\}/g;

/** Placeholders of an input that stand for nothing, in the order found. */
export function unknownPlaceholders(input: Json): string[] {
  const known = new Set<string>(PLACEHOLDERS);
  const unknown: string[] = [];
  visit(input, (text) => {
    for (const [whole, name] of text.matchAll(PATTERN)) if (!known.has(name ?? '')) unknown.push(whole);
  });
  return unknown;
}

/** The input with its placeholders filled in. Keys of objects are left as they are. */
export function fillPlaceholders(input: Json, values: PlaceholderValues): Json {
  if (typeof input === 'string') return fillText(input, values);
  if (Array.isArray(input)) return (input as readonly Json[]).map((item) => fillPlaceholders(item, values));
  if (typeof input !== 'object' || input === null) return input;
  return Object.fromEntries(
    Object.entries(input).map(([key, value]) => [key, fillPlaceholders(value, values)]),
  );
}

function fillText(text: string, values: PlaceholderValues): Json {
  if (!text.includes('{{punctual.')) return text;
  const alone = /^\{\{punctual\.([^{}]*)\}\}$/.exec(text);
  const name = alone?.[1];
  if (name !== undefined && Object.hasOwn(values, name)) return values[name as Placeholder];
  return text.replace(PATTERN, (whole, inner: Placeholder) =>
    Object.hasOwn(values, inner) ? String(values[inner]) : whole,
  );
}

function visit(input: Json, see: (text: string) => void): void {
  if (typeof input === 'string') see(input);
  else if (typeof input === 'object' && input !== null)
    for (const value of Object.values(input)) visit(value, see);
}
