import type * as z from 'zod';
import { invalidRequest, type SchemaIssue } from './field-faults.ts';
import { sayIssue } from './say-issue.ts';

/** Checks by a schema outside the router, with the same refusal. */
export function parseWith<Schema extends z.ZodType>(schema: Schema, data: unknown): z.output<Schema> {
  const parsed = schema.safeParse(data, { error: sayIssue });
  if (parsed.success) return parsed.data;
  throw invalidRequest(parsed.error.issues as readonly SchemaIssue[], data);
}
