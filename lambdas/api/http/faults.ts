import type { Problem } from '../../contract/api/problem.ts';
import { PunctualError } from '../../core/errors.ts';

export type Fault = NonNullable<Problem['errors']>[number];

/** Most faults of one request that are listed. */
const MAX_FAULTS = 20;

/** A request that its schema refuses: one error as any other, and a list of all that is wrong. */
export class InvalidRequest extends PunctualError {
  readonly faults: readonly Fault[];

  constructor(code: 'request.invalid' | 'request.unknown-field', faults: readonly Fault[]) {
    const [first] = faults;
    const where = first?.field === undefined ? '' : `${first.field}: `;
    super(code, `${where}${first?.message ?? 'The request is invalid.'}`, {
      ...(first?.field !== undefined && { field: first.field }),
      value: first?.value,
    });
    this.faults = faults;
  }
}

/** The part of a zod issue that is used; `keys` is there for unknown fields. */
export interface SchemaIssue {
  readonly code?: string | undefined;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly keys?: readonly string[] | undefined;
  /** What is wrong with the key of a record, which the path then ends in. */
  readonly issues?: readonly { readonly message: string }[] | undefined;
}

export function invalidRequest(issues: readonly SchemaIssue[], data: unknown): InvalidRequest {
  const unknown = issues.flatMap((issue) =>
    (issue.keys ?? []).map((key) => faultAt([...issue.path, key], 'There is no such field.', data)),
  );
  const others = issues
    .filter((issue) => issue.keys === undefined)
    .map((issue) => faultAt(issue.path, messageOf(issue), data));
  // An unknown field first: a misspelt one explains the missing one that is reported beside it.
  const code = unknown.length > 0 ? 'request.unknown-field' : 'request.invalid';
  return new InvalidRequest(code, [...unknown, ...others].slice(0, MAX_FAULTS));
}

function messageOf(issue: SchemaIssue): string {
  return issue.code === 'invalid_key' ? (issue.issues?.[0]?.message ?? issue.message) : issue.message;
}

function faultAt(path: readonly PropertyKey[], message: string, data: unknown): Fault {
  const value = valueAt(path, data);
  return {
    ...(path.length > 0 && { field: fieldText(path) }),
    ...(value !== undefined && { value: shown(value) }),
    message,
  };
}

/** `retry.maxAttempts`, `exclude[1]`: as the recurrence engine names its fields, too. */
function fieldText(path: readonly PropertyKey[]): string {
  return path
    .map((key, index) => (typeof key === 'number' ? `[${key}]` : `${index > 0 ? '.' : ''}${String(key)}`))
    .join('');
}

function valueAt(path: readonly PropertyKey[], data: unknown): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key)
        ? (value as Record<PropertyKey, unknown>)[key]
        : undefined,
    data,
  );
}

/** Characters of a refused value that an answer repeats. */
const MAX_SHOWN = 100;

/** A value short enough to repeat; anything composed is shown as the start of its JSON. */
export function shown(value: unknown): unknown {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return value;
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`;
}
