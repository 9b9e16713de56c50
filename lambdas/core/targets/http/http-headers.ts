import * as z from 'zod';
import { TARGET_LIMITS } from '../limits.ts';
import { placeholderError } from '../placeholder-error.ts';
import { fillText, LONGEST_VALUES } from '../placeholders.ts';
import { secretHeaderSchema } from './secret-ref.ts';

/** Set by the worker or by the connection on every call; a schedule cannot have a say in them. */
const RESERVED_HEADERS =
  /^(host|connection|content-length|content-type|expect|http2-settings|keep-alive|proxy-.*|te|trailers?|transfer-encoding|upgrade|user-agent|idempotency-key|webhook-.*|punctual-.*)$/i;

const headerTextSchema = z
  .string()
  .regex(/^[\x20-\x7e\t]*$/, { error: 'Printable ASCII.' })
  .max(TARGET_LIMITS.headerValueLength)
  .check((context) => {
    const fault = placeholderError(context.value);
    if (fault) context.issues.push({ code: 'custom', message: fault, input: context.value });
  });

export const headersSchema = z
  .record(
    z
      .string()
      .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/, { error: 'A header name of 1 to 64 token characters.' })
      .refine((name) => !RESERVED_HEADERS.test(name), {
        error: ({ input }) =>
          `Punctual sets the header "${input}" itself; leave it out. Yours can have any other name, such as x-${input}.`,
      }),
    z.union([headerTextSchema, secretHeaderSchema], {
      error: 'A text, or an object with the ARN of a secret: { "secret", "field"?, "prefix"? }.',
    }),
  )
  .check(({ value: headers, issues }) => {
    const refuse = (message: string) => issues.push({ code: 'custom', message, input: headers });
    const names = Object.keys(headers).map((name) => name.toLowerCase());
    const twice = names.find((name, index) => names.indexOf(name) < index);
    if (names.length > TARGET_LIMITS.headers) refuse(`At most ${TARGET_LIMITS.headers} headers.`);
    if (twice !== undefined) refuse(`"${twice}" once: upper and lower case do not differ in header names.`);
    const length = Object.entries(headers).reduce(
      (sum, [name, value]) => sum + name.length + valueLength(value),
      0,
    );
    if (length > TARGET_LIMITS.headersLength) {
      refuse(`At most ${TARGET_LIMITS.headersLength} characters of names and values; these have ${length}.`);
    }
  });

/** Of a secret what is known of it; of a text what it may become. */
const valueLength = (value: z.output<typeof headerTextSchema> | z.output<typeof secretHeaderSchema>) =>
  typeof value === 'string' ? fillText(value, LONGEST_VALUES).length : (value.prefix ?? '').length;
