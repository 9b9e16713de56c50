import type { HttpTarget } from '../../../core/targets/http/http.ts';
import type { SecretHeader } from '../../../core/targets/http/secret-ref.ts';
import { SecretFault } from '../../secrets/secret-fault.ts';
import type { Secret, SecretStore } from '../../secrets/secret-store.ts';
import { signingKey } from './signature.ts';

/** Characters. Room for a token with claims; more, and servers refuse the request for the size of its headers. */
const MAX_VALUE = 8 * 1024;
/** What node, too, lets into a header; its own message comes later, and would not say whose fault it is. */
const HEADER_TEXT = /^[\x20-\x7e\t]*$/;

export interface CallSecrets {
  /** All headers of the target, those that are secrets with their values. */
  readonly headers: Readonly<Record<string, string>>;
  readonly signingKeys: readonly Buffer[];
  /** What the headers were made of. */
  readonly inHeaders: readonly Secret[];
  readonly all: readonly Secret[];
}

/** Fetches what a target names; throws a `SecretFault` for what cannot be had or used. */
export async function secretsFor(
  store: SecretStore,
  target: HttpTarget,
  signal: AbortSignal,
): Promise<CallSecrets> {
  const headers = Promise.all(
    Object.entries(target.headers).map(async ([name, value]) => {
      if (typeof value === 'string') return { name, value };
      const secret = await store.read(value, signal);
      return { name, value: headerOf(name, value, secret), secret };
    }),
  );
  const signing = Promise.all(
    (target.signing?.secrets ?? []).map(async (ref) => {
      const secret = await store.read(ref, signal);
      return { secret, key: keyOf(ref.secret, secret) };
    }),
  );
  const [named, keys] = await Promise.all([headers, signing]);
  const inHeaders = named.flatMap(({ secret }) => secret ?? []);
  return {
    headers: Object.fromEntries(named.map(({ name, value }) => [name, value])),
    signingKeys: keys.map(({ key }) => key),
    inHeaders,
    all: [...inHeaders, ...keys.map(({ secret }) => secret)],
  };
}

function headerOf(name: string, { secret: arn, prefix = '' }: SecretHeader, secret: Secret): string {
  const value = prefix + secret.value;
  if (HEADER_TEXT.test(value) && value.length <= MAX_VALUE) return value;
  secret.forget();
  throw new SecretFault(
    `${arn} does not fit into the header "${name}": at most ${MAX_VALUE} printable ASCII characters do, and no ` +
      'line break, which a file or an echo may have left at its end.',
  );
}

function keyOf(arn: string, secret: Secret): Buffer {
  const key = signingKey(secret.value);
  if (key) return key;
  secret.forget();
  throw new SecretFault(`${arn} is not a signing key: a key is whsec_ and 24 to 64 bytes in base64.`);
}

/**
 * What a target said, for the log; nothing of it when it repeats a secret, in its own form or in one that a server
 * may well answer in.
 */
export function withoutSecrets(text: string, secrets: readonly Secret[]): string {
  const repeats = secrets.some(({ value }) => formsOf(value).some((form) => text.includes(form)));
  return repeats ? '(repeats a secret; not kept)' : text;
}

function formsOf(value: string): readonly string[] {
  const base64 = Buffer.from(value).toString('base64');
  return [
    value,
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(value),
    base64,
    base64.replace(/=+$/, ''),
  ];
}
