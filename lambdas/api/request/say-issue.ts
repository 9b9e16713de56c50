import type * as z from 'zod';
import { noSuchField } from './field-hints.ts';
import { quoteValue } from './quote-value.ts';

/** The part of a schema's innards that says what it takes. */
interface Def {
  readonly type: string;
  readonly format?: string;
  readonly checks?: readonly { readonly _zod: { readonly def: CheckDef } }[];
  readonly options?: readonly z.core.$ZodType[];
  readonly entries?: Readonly<Record<string, string>>;
  readonly values?: readonly unknown[];
  readonly innerType?: z.core.$ZodType;
  readonly shape?: Readonly<Record<string, unknown>>;
}

interface CheckDef {
  readonly check?: string;
  readonly value?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

const defOf = (schema: z.core.$ZodType): Def => schema._zod.def as unknown as Def;

/**
 * What is wrong with a value, where its schema has no sentence of its own for that: what is expected, with its bounds,
 * and what came. Of unknown fields a line for each.
 */
export function sayIssue(issue: z.core.$ZodRawIssue): string {
  const schema = (issue.schema ?? issue.inst) as z.core.$ZodType | undefined;
  if (issue.code === 'unrecognized_keys') {
    const siblings = Object.keys((schema && defOf(schema).shape) ?? {});
    return issue.keys.map((key) => noSuchField(key, siblings)).join('\n');
  }
  const expected = schema ? expectationOf(schema) : 'another value';
  if (issue.input === undefined) return `It is required: ${expected}.`;
  return `${expected[0]?.toUpperCase()}${expected.slice(1)}; this is ${valueText(issue.input)}.`;
}

function valueText(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list of ${value.length}`;
  if (typeof value === 'object' && value !== null) return 'an object';
  if (typeof value === 'string' && value.length > MAX_TEXT) return `a text of ${value.length} characters`;
  return typeof value === 'string' ? `the text ${JSON.stringify(value)}` : String(quoteValue(value));
}

/** Characters of a text that a sentence repeats. */
const MAX_TEXT = 60;

/** `a whole number from 1 to 100`, `a text of at most 64 characters`. */
export function expectationOf(schema: z.core.$ZodType): string {
  const def = defOf(schema);
  const [min, max] = boundsOf(def);
  switch (def.type) {
    case 'number':
      return `${def.format === 'safeint' ? 'a whole number' : 'a number'}${range(min, max)}`;
    case 'string':
      return `a text${sized(min, max, 'characters')}`;
    case 'array':
      return `a list${sized(min, max, 'entries')}`;
    case 'boolean':
      return 'true or false';
    case 'null':
      return 'null';
    case 'enum':
      return `one of ${Object.values(def.entries ?? {}).join(', ')}`;
    case 'literal':
      return (def.values ?? []).map((value) => JSON.stringify(value)).join(' or ');
    case 'union':
      return [...new Set((def.options ?? []).map(expectationOf))].join(', or ');
    case 'object':
    case 'record':
      return 'an object';
    default:
      if (def.innerType === undefined) return 'another value';
      return expectationOf(def.innerType) + (def.type === 'nullable' ? ', or null' : '');
  }
}

/** The tightest bounds of its checks. */
function boundsOf({ checks = [] }: Def): [number | undefined, number | undefined] {
  let bounds: [number | undefined, number | undefined] = [undefined, undefined];
  for (const { _zod } of checks) {
    const { check, value, minimum, maximum } = _zod.def;
    const [min, max] = bounds;
    if (check === 'greater_than' || check === 'min_length') bounds = [value ?? minimum ?? min, max];
    if (check === 'less_than' || check === 'max_length') bounds = [min, value ?? maximum ?? max];
  }
  return bounds;
}

function range(min: number | undefined, max: number | undefined): string {
  if (min !== undefined && max !== undefined) return ` from ${min} to ${max}`;
  if (min !== undefined) return ` of at least ${min}`;
  return max === undefined ? '' : ` of at most ${max}`;
}

function sized(min: number | undefined, max: number | undefined, of: string): string {
  if (min !== undefined && max !== undefined) return ` of ${min} to ${max} ${of}`;
  return min === undefined && max === undefined ? '' : `${range(min, max)} ${of}`;
}
