import * as z from 'zod';
import { defineTargetKind, type NamedSecret } from '../kind.ts';
import { TARGET_LIMITS } from '../limits.ts';
import { placeholderError } from '../placeholder-error.ts';
import { fillText, hasPlaceholder, LONGEST_VALUES, type PlaceholderValues } from '../placeholders.ts';
import { authorityOf, fillUrl } from './fill-url.ts';
import { headersSchema } from './http-headers.ts';
import { secretRefSchema } from './secret-ref.ts';

/** Undefined when it is a usable http(s) URL, or what is wrong with it. */
function urlError(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return 'An absolute http or https URL.';
  if (hasPlaceholder(authorityOf(text)) || hasPlaceholder(url.host)) {
    return 'A URL whose host is written out: placeholders are filled in only behind it.';
  }
  const filled = fillUrl(text, LONGEST_VALUES).length;
  if (filled > TARGET_LIMITS.filledUrlLength) {
    return `At most ${TARGET_LIMITS.filledUrlLength} characters once its placeholders are filled in; this may have ${filled}.`;
  }
  // They would be shown by every read of the schedule, and logged.
  if (url.username !== '' || url.password !== '') {
    return 'A URL without credentials; name a secret in a header.';
  }
  return placeholderError(text);
}

const urlSchema = z
  .string()
  .max(TARGET_LIMITS.urlLength)
  .check((context) => {
    const fault = urlError(context.value);
    if (fault) context.issues.push({ code: 'custom', message: fault, input: context.value });
  });

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

const schema = z
  .strictObject({
    kind: z.literal('http'),
    url: urlSchema.meta({ format: 'uri', examples: ['https://example.com/hooks/report'] }),
    method: z.enum(['POST', 'PUT', 'PATCH']).default('POST'),
    headers: headersSchema.default({}).meta({
      description:
        'A text, which every read of the schedule shows; or a secret, which is fetched for each call.',
    }),
    signing: z
      .strictObject({ secrets: z.array(secretRefSchema).min(1).max(TARGET_LIMITS.signingSecrets) })
      .exactOptional()
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

export type HttpTarget = z.output<typeof schema>;

/** Sends a request. */
export const http = defineTargetKind({
  schema,
  allowed: { by: 'host', urlOf: ({ url }) => url },
  secretsOf,
  placeholdersIn: ['url', 'headers'],
  // Any http target may answer that it goes on.
  mayFinishLater: true,
  aliases: { url: 'uri endpoint webhook href address' },
});

function secretsOf({ headers, signing }: HttpTarget): readonly NamedSecret[] {
  const inHeaders = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === 'string' ? [] : [{ field: `headers.${name}`, secret: value.secret }],
  );
  const forSigning = (signing?.secrets ?? []).map(({ secret }, index) => ({
    field: `signing.secrets[${index}]`,
    secret,
  }));
  return [...inHeaders, ...forSigning];
}

/** An http target as one occurrence calls it. */
export function fillTarget(target: HttpTarget, values: PlaceholderValues): HttpTarget {
  const headers = Object.entries(target.headers).map(([name, value]) => [
    name,
    typeof value === 'string' ? fillText(value, values) : value,
  ]);
  return { ...target, url: fillUrl(target.url, values), headers: Object.fromEntries(headers) };
}
