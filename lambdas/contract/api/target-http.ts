import * as z from 'zod';
import { API_LIMITS } from './limits.ts';

/** Set by the worker or by the connection on every call; a schedule cannot have a say in them. */
const RESERVED_HEADERS =
  /^(host|connection|content-length|content-type|expect|keep-alive|te|trailer|transfer-encoding|upgrade|user-agent|idempotency-key|webhook-.*|punctual-.*)$/i;

/** Undefined when it is a usable http(s) URL, or what is wrong with it. */
function urlFault(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return 'An absolute http or https URL.';
  // They would be shown by every read of the schedule, and logged.
  if (url.username !== '' || url.password !== '') return 'A URL without credentials; put them in a header.';
  return undefined;
}

export const urlSchema = z
  .string()
  .max(API_LIMITS.urlLength)
  .check((context) => {
    const fault = urlFault(context.value);
    if (fault) context.issues.push({ code: 'custom', message: fault, input: context.value });
  });

const headersSchema = z
  .record(
    z
      .string()
      .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/, { error: 'A header name of 1 to 64 token characters.' })
      .refine((name) => !RESERVED_HEADERS.test(name), {
        error: 'A header that Punctual does not set itself.',
      }),
    z
      .string()
      .regex(/^[\x20-\x7e\t]*$/, { error: 'Printable ASCII.' })
      .max(API_LIMITS.headerValueLength),
  )
  .refine((headers) => Object.keys(headers).length <= API_LIMITS.headers, {
    error: `At most ${API_LIMITS.headers} headers.`,
  });

export const httpTargetSchema = z
  .strictObject({
    kind: z.literal('http'),
    url: urlSchema.meta({ format: 'uri', examples: ['https://example.com/hooks/report'] }),
    method: z.enum(['POST', 'PUT', 'PATCH']).default('POST'),
    headers: headersSchema.default({}),
  })
  .meta({ id: 'HttpTarget' });
