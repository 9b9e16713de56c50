import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createSecretStore } from '../../lambdas/adapters/secrets/secret-store.ts';
import { createAddressGuard } from '../../lambdas/adapters/targets/http/address-guard.ts';
import { createHttpCaller } from '../../lambdas/adapters/targets/http/call.ts';
import { signatureOf, signingKey } from '../../lambdas/adapters/targets/http/signature.ts';
import type { HttpTarget } from '../../lambdas/core/targets/http/http.ts';
import { NOON } from '../support/fixtures.ts';
import { senderThrough } from '../support/http-caller.ts';
import { invocation } from '../support/invocation.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

const OLD = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const NEW = `whsec_${Buffer.from('another key of thirty-two bytes!').toString('base64')}`;
const SECRETS: Readonly<Record<string, string>> = {
  old: OLD,
  new: NEW,
  words: 'correct horse battery staple',
  short: 'whsec_AAAA',
};

describe('a signature', () => {
  it('is that of the specification for the message in it', () => {
    // printf '%s' "$id.$seconds.$body" | openssl dgst -sha256 -mac HMAC -macopt hexkey:$(the key in hex) -binary | base64
    const body = '{"test": 2432232314}';
    const key = signingKey(OLD);
    expect(key && signatureOf([key], 'msg_p5jXN8AQM9LWM0D4loKWxJek', 1614265330, body)).toBe(
      'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    );
  });

  it.each([
    [OLD, 24],
    [OLD.slice(6), 24],
    [`whsec_${Buffer.alloc(64, 1).toString('base64')}`, 64],
    [`whsec_${Buffer.alloc(65, 1).toString('base64')}`, undefined],
    [`whsec_${Buffer.alloc(23, 1).toString('base64')}`, undefined],
    [`${OLD}\n`, undefined],
    [`${OLD}=`, undefined],
    ['whsec_not base64 at all, and long enough', undefined],
    ['', undefined],
  ])('is made with the key in %j, of %s bytes', (secret, bytes) => {
    expect(signingKey(secret)?.length).toBe(bytes);
  });
});

describe('a call that is signed', () => {
  let receiver: Receiver;
  beforeEach(async () => {
    receiver = await startReceiver();
    // The library that verifies reads the clock by itself.
    vi.useFakeTimers({ now: NOON, toFake: ['Date'] });
  });
  afterEach(async () => {
    vi.useRealTimers();
    await receiver.close();
  });

  const store = createSecretStore(async (arn) => SECRETS[arn] ?? '', { now: () => NOON });
  const caller = createHttpCaller(senderThrough(createAddressGuard(['127.0.0.0/8'])), store);
  async function callWith(...secrets: readonly string[]) {
    const target: HttpTarget = {
      kind: 'http',
      url: receiver.url,
      method: 'POST',
      headers: {},
      signing: { secrets: secrets.map((secret) => ({ secret })) },
    };
    const about = { ...invocation, input: { text: 'grüße' } };
    return {
      result: await caller(target, about, NOON, new AbortController().signal),
      request: receiver.received[0],
    };
  }
  const verify = (secret: string, { body, headers } = receiver.received[0] ?? { body: '', headers: {} }) =>
    new Webhook(secret).verify(body, headers as Record<string, string>);

  it("is verified by the project's own library", async () => {
    await callWith('old');
    expect(verify(OLD)).toMatchObject({ idempotencyKey: 'key-1', input: { text: 'grüße' } });
    expect(() => verify(NEW)).toThrow('No matching signature found');
  });

  it('is verified with the old and the new key while they are exchanged', async () => {
    const { request } = await callWith('new', 'old');
    expect(request?.headers['webhook-signature']).toMatch(/^v1,[A-Za-z\d+/]{43}= v1,[A-Za-z\d+/]{43}=$/);
    for (const secret of [OLD, NEW]) expect(verify(secret)).toMatchObject({ idempotencyKey: 'key-1' });
  });

  it('is not verified when body, id or time are others, or it is too old', async () => {
    const { request } = await callWith('old');
    if (!request) throw new Error('Nothing was received.');
    const { body, headers } = request;
    expect(() => verify(OLD, { ...request, body: body.replace('key-1', 'key-2') })).toThrow();
    expect(() => verify(OLD, { ...request, headers: { ...headers, 'webhook-id': 'key-2' } })).toThrow();
    const later = String(Number(headers['webhook-timestamp']) + 1);
    expect(() => verify(OLD, { ...request, headers: { ...headers, 'webhook-timestamp': later } })).toThrow();
    vi.setSystemTime(NOON + 301_000);
    expect(() => verify(OLD)).toThrow('Message timestamp too old');
  });

  it.each(['words', 'short'])('is not sent without the signature when %s is no key', async (secret) => {
    const { result } = await callWith('old', secret);
    expect(result).toEqual({
      kind: 'failed',
      retryable: true,
      detail: `${secret} is not a signing key: a key is whsec_ and 24 to 64 bytes in base64.`,
    });
    expect(receiver.received).toEqual([]);
  });
});
