import { PunctualError } from '../../core/errors.ts';
import type { Problem } from '../http/problem-schema.ts';
import { quoteValue } from './quote-value.ts';

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

/** The part of a zod issue that is used; `keys` is there for unknown fields, for each of which the message has a line. */
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
    (issue.keys ?? []).map((key, index) =>
      faultAt([...issue.path, key], issue.message.split('\n')[index] ?? issue.message, data),
    ),
  );
  const others = issues
    .filter((issue) => issue.keys === undefined)
    .map((issue) =>
      faultAt(issue.path, isMissing(issue, data) ? required(messageOf(issue)) : messageOf(issue), data),
    );
  // An unknown field first: a misspelt one explains the missing one that is reported beside it.
  const code = unknown.length > 0 ? 'request.unknown-field' : 'request.invalid';
  return new InvalidRequest(code, [...unknown, ...others].slice(0, MAX_FAULTS));
}

/** Of what is wrong by itself, and not beside something else. */
const isMissing = ({ code, path }: SchemaIssue, data: unknown): boolean =>
  code !== 'custom' && path.length > 0 && valueAt(path, data) === undefined;

const REQUIRED = 'It is required';
const required = (message: string): string =>
  message.startsWith(REQUIRED) ? message : `${REQUIRED}: ${message[0]?.toLowerCase()}${message.slice(1)}`;

function messageOf(issue: SchemaIssue): string {
  return issue.code === 'invalid_key' ? (issue.issues?.[0]?.message ?? issue.message) : issue.message;
}

function faultAt(path: readonly PropertyKey[], message: string, data: unknown): Fault {
  const value = valueAt(path, data);
  return {
    ...(path.length > 0 && { field: fieldText(path) }),
    ...(value !== undefined && { value: quoteValue(value) }),
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
