import * as z from 'zod';
import { authorityOf, fillUrl } from '../../core/filled-target.ts';
import { fillText, hasPlaceholder, LONGEST_VALUES } from '../../core/placeholders.ts';
import { API_LIMITS } from './limits.ts';
import { placeholderFault } from './placeholders.ts';
import { secretHeaderSchema, secretRefSchema } from './secret-ref.ts';

/** Set by the worker or by the connection on every call; a schedule cannot have a say in them. */
const RESERVED_HEADERS =
  /^(host|connection|content-length|content-type|expect|http2-settings|keep-alive|proxy-.*|te|trailers?|transfer-encoding|upgrade|user-agent|idempotency-key|webhook-.*|punctual-.*)$/i;

/** Undefined when it is a usable http(s) URL, or what is wrong with it. */
function urlFault(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return 'An absolute http or https URL.';
  if (hasPlaceholder(authorityOf(text)) || hasPlaceholder(url.host)) {
    return 'A URL whose host is written out: placeholders are filled in only behind it.';
  }
  const filled = fillUrl(text, LONGEST_VALUES).length;
  if (filled > API_LIMITS.filledUrlLength) {
    return `At most ${API_LIMITS.filledUrlLength} characters once its placeholders are filled in; this may have ${filled}.`;
  }
  // They would be shown by every read of the schedule, and logged.
  if (url.username !== '' || url.password !== '') {
    return 'A URL without credentials; name a secret in a header.';
  }
  return placeholderFault(text);
}

const urlSchema = z
  .string()
  .max(API_LIMITS.urlLength)
  .check((context) => {
    const fault = urlFault(context.value);
    if (fault) context.issues.push({ code: 'custom', message: fault, input: context.value });
  });

const headerTextSchema = z
  .string()
  .regex(/^[\x20-\x7e\t]*$/, { error: 'Printable ASCII.' })
  .max(API_LIMITS.headerValueLength)
  .check((context) => {
    const fault = placeholderFault(context.value);
    if (fault) context.issues.push({ code: 'custom', message: fault, input: context.value });
  });

const headersSchema = z
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
    if (names.length > API_LIMITS.headers) refuse(`At most ${API_LIMITS.headers} headers.`);
    if (twice !== undefined) refuse(`"${twice}" once: upper and lower case do not differ in header names.`);
    const length = Object.entries(headers).reduce(
      (sum, [name, value]) => sum + name.length + valueLength(value),
      0,
    );
    if (length > API_LIMITS.headersLength) {
      refuse(`At most ${API_LIMITS.headersLength} characters of names and values; these have ${length}.`);
    }
  });

/** Of a secret what is known of it; of a text what it may become. */
const valueLength = (value: z.output<typeof headerTextSchema> | z.output<typeof secretHeaderSchema>) =>
  typeof value === 'string' ? fillText(value, LONGEST_VALUES).length : (value.prefix ?? '').length;

/** A receiver on the machine itself: nobody stands between. */
const LOOPBACK_HOST = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** A secret in clear text is everybody's on the way. A signature gives nothing away. */
function sendsSecretInTheClear(url: string, headers: z.output<typeof headersSchema>): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return (
    protocol === 'http:' &&
    !LOOPBACK_HOST.test(hostname) &&
    Object.values(headers).some((value) => typeof value !== 'string')
  );
}

export const httpTargetSchema = z
  .strictObject({
    kind: z.literal('http'),
    url: urlSchema.meta({ format: 'uri', examples: ['https://example.com/hooks/report'] }),
    method: z.enum(['POST', 'PUT', 'PATCH']).default('POST'),
    headers: headersSchema.default({}).meta({
      description:
        'A text, which every read of the schedule shows; or a secret, which is fetched for each call.',
    }),
    signing: z
      .strictObject({ secrets: z.array(secretRefSchema).min(1).max(API_LIMITS.signingSecrets) })
      .optional()
      .meta({
        description:
          'Signs each call as Standard Webhooks has it (`webhook-signature`), once with each secret: several while a key is exchanged.',
      }),
  })
  .check(({ value, issues }) => {
    if (!sendsSecretInTheClear(value.url, value.headers)) return;
    const message = 'An https URL, since a header of it is a secret.';
    issues.push({ code: 'custom', message, input: value, path: ['url'] });
  })
  .meta({ id: 'HttpTarget' });
