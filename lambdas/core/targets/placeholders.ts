import type { Json } from '../json.ts';

/**
 * Names that `{{punctual.<name>}}` stands for in an input, and in the URL and headers of an http target; blanks inside
 * the braces do not count. A text that is one placeholder and nothing else becomes the value itself (a number stays a
 * number); inside other text it becomes text. `\{{punctual.<name>}}` stays as it is, without the backslash.
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

/** No value is longer than this: what may be made of a text is known before any value is. */
export const LONGEST_VALUES: PlaceholderValues = {
  // Two names of 64 characters, a time, a revision, a kind and a token of 64.
  id: 'x'.repeat(240),
  schedule: 'x'.repeat(129),
  scheduledTime: 'x'.repeat(27),
  previousScheduledTime: 'x'.repeat(27),
  nextScheduledTime: 'x'.repeat(27),
  attempt: Number.MAX_SAFE_INTEGER,
  kind: 'scheduled',
  isCatchUp: false,
  revision: Number.MAX_SAFE_INTEGER,
  idempotencyKey: 'x'.repeat(40),
  fencingToken: Number.MAX_SAFE_INTEGER,
};

/** What is meant as a placeholder of ours, whether it stands for something or not; with the backslashes before it. */
const PATTERN = /(\\*)\{\{\s*punctual(?![\w-])([^{}]*)\}\}/gi;
const NAMED = /^\{\{\s*punctual\.([A-Za-z]+)\s*\}\}$/;

const isEscaped = (backslashes: string) => backslashes.length % 2 === 1;

function nameIn(braces: string): Placeholder | undefined {
  const name = NAMED.exec(braces)?.[1];
  return PLACEHOLDERS.find((known) => known === name);
}

/** Whether a text has a placeholder in it, known or not. */
export const hasPlaceholder = (text: string): boolean =>
  [...text.matchAll(PATTERN)].some(([, backslashes = '']) => !isEscaped(backslashes));

/** Placeholders of an input that stand for nothing, in the order found. */
export function unknownPlaceholders(input: unknown): string[] {
  const unknown: string[] = [];
  visitTexts(input, (text) => {
    for (const [whole, backslashes = ''] of text.matchAll(PATTERN)) {
      const braces = whole.slice(backslashes.length);
      if (!isEscaped(backslashes) && nameIn(braces) === undefined) unknown.push(braces);
    }
  });
  return unknown;
}

/** The input with its placeholders filled in. Keys of objects are left as they are. */
export function fillPlaceholders(input: Json, values: PlaceholderValues): Json {
  if (typeof input === 'string') {
    const alone = nameIn(input);
    return alone === undefined ? fillText(input, values) : values[alone];
  }
  if (Array.isArray(input)) return (input as readonly Json[]).map((item) => fillPlaceholders(item, values));
  if (typeof input !== 'object' || input === null) return input;
  return Object.fromEntries(
    Object.entries(input).map(([key, value]) => [key, fillPlaceholders(value, values)]),
  );
}

/** A text with its placeholders filled in; `write` puts a value into the form that the text is in. */
export function fillText(
  text: string,
  values: PlaceholderValues,
  write: (value: string) => string = (value) => value,
): string {
  return text.replace(PATTERN, (whole: string, backslashes: string) => {
    const braces = whole.slice(backslashes.length);
    const kept = '\\'.repeat(backslashes.length / 2);
    if (isEscaped(backslashes)) return kept + braces;
    const name = nameIn(braces);
    return name === undefined ? whole : kept + write(String(values[name]));
  });
}

/** All texts of a value, those of keys left out. */
export function visitTexts(input: unknown, see: (text: string) => void): void {
  if (typeof input === 'string') see(input);
  else if (typeof input === 'object' && input !== null)
    for (const value of Object.values(input)) visitTexts(value, see);
}
