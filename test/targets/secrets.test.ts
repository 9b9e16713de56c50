import { writeFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createSecretFetcher } from '../../lambdas/adapters/secrets/fetch-secret.ts';
import { createSecretStore, MAX_SECRET_AGE } from '../../lambdas/adapters/secrets/secret-store.ts';
import { createAddressGuard } from '../../lambdas/adapters/targets/http/address-guard.ts';
import { createHttpCaller } from '../../lambdas/adapters/targets/http/call.ts';
import type { HttpTarget } from '../../lambdas/core/targets/http/http.ts';
import { type SecretsApi, startSecrets } from '../../local/engine/secrets.ts';
import { testClock } from '../support/clock.ts';
import { at, NOON } from '../support/fixtures.ts';
import { senderThrough } from '../support/http-caller.ts';
import { invocation } from '../support/invocation.ts';
import { type Received, type Receiver, startReceiver } from '../support/receiver.ts';
import { PARAMETER_ARN, secretsFile, TOKEN_ARN } from '../support/secrets.ts';

const VALUE = 'hunter2-hunter2"+/';
const never = new AbortController().signal;
const sendTo = senderThrough(createAddressGuard(['127.0.0.0/8']));

let file: ReturnType<typeof secretsFile>;
let secretsApi: SecretsApi;
let receiver: Receiver | undefined;
const before = { ...process.env };
beforeAll(async () => {
  file = secretsFile({});
  secretsApi = await startSecrets(file.path);
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_SECRETS_MANAGER: secretsApi.endpoint,
    AWS_ENDPOINT_URL_SSM: secretsApi.endpoint,
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
  });
});
afterEach(() => receiver?.close());
afterAll(async () => {
  process.env = before;
  file.remove();
  await secretsApi.close();
});

type Answer = Parameters<typeof startReceiver>[0];

/** A warm worker: its cache, its clock, and how often it has asked for a secret. */
async function workerWith(secrets: Readonly<Record<string, unknown>>, answer?: Answer) {
  file.write(secrets);
  receiver = await startReceiver(answer);
  const { url } = receiver;
  const clock = testClock(NOON);
  const fetched: string[] = [];
  const fetch = createSecretFetcher();
  const store = createSecretStore((arn) => {
    fetched.push(arn);
    return fetch(arn);
  }, clock);
  const caller = createHttpCaller(sendTo, store);
  const call = (changes: Partial<HttpTarget> = {}, signal = never) =>
    caller(
      { kind: 'http', url, method: 'POST', headers: { authorization: TOKEN }, ...changes },
      invocation,
      clock.now(),
      signal,
    );
  return { call, clock, fetched, store, received: receiver.received };
}

const TOKEN = { secret: TOKEN_ARN, prefix: 'Bearer ' };
const answering = (status: number, text: (request: Received) => string = () => '') => {
  return ((request, response) => response.writeHead(status).end(text(request))) satisfies Answer;
};

describe('a header that is a secret', () => {
  it('is fetched from Secrets Manager, with what stands before it', async () => {
    const { call, received } = await workerWith({ [TOKEN_ARN]: VALUE });
    expect(await call()).toEqual({ kind: 'succeeded', detail: 'HTTP 200' });
    expect(received[0]?.headers.authorization).toBe(`Bearer ${VALUE}`);
  });

  it('is a parameter of Systems Manager too, and a member of either', async () => {
    const { call, received } = await workerWith({ [PARAMETER_ARN]: { key: 'from-ssm', n: 5 } });
    await call({ headers: { 'x-api-key': { secret: PARAMETER_ARN, field: 'key' }, 'x-plain': 'yes' } });
    expect(received[0]?.headers).toMatchObject({ 'x-api-key': 'from-ssm', 'x-plain': 'yes' });
  });

  it('is fetched once for calls side by side, and again when it is five minutes old', async () => {
    const { call, clock, fetched, received } = await workerWith({ [TOKEN_ARN]: 'one' });
    await Promise.all([call(), call(), call()]);
    file.write({ [TOKEN_ARN]: 'two' });
    clock.set(at(MAX_SECRET_AGE));
    await call();
    expect(fetched).toHaveLength(1);
    clock.set(at(MAX_SECRET_AGE + 1));
    await call();
    expect(fetched).toHaveLength(2);
    expect(received.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer one',
      'Bearer one',
      'Bearer one',
      'Bearer one',
      'Bearer two',
    ]);
  });

  it('that is refused with 401 is fetched anew for the next attempt, which is worth a try', async () => {
    const isCurrent = ({ headers }: Received) => headers.authorization === 'Bearer two';
    const { call, fetched } = await workerWith({ [TOKEN_ARN]: 'one' }, (request, response) =>
      response.writeHead(fetched.length === 1 && !rotated ? 200 : isCurrent(request) ? 200 : 401).end(),
    );
    let rotated = false;
    expect((await call()).kind).toBe('succeeded');
    rotated = true;
    file.write({ [TOKEN_ARN]: 'two' });
    expect(await call()).toMatchObject({ kind: 'failed', retryable: true, detail: 'HTTP 401' });
    expect((await call()).kind).toBe('succeeded');
    expect(fetched).toHaveLength(2);
  });

  it('that is refused with 401 although it was fetched for this call fails for good', async () => {
    const { call, fetched } = await workerWith({ [TOKEN_ARN]: 'wrong' }, answering(401));
    expect(await call()).toMatchObject({ kind: 'failed', retryable: false });
    // And is not kept for the next occurrence.
    expect(await call()).toMatchObject({ kind: 'failed', retryable: false });
    expect(fetched).toHaveLength(2);
  });

  it.each([403, 404, 500])('is kept through a %i', async (status) => {
    const { call, fetched } = await workerWith({ [TOKEN_ARN]: 'one' }, answering(status));
    await call();
    await call();
    expect(fetched).toHaveLength(1);
  });
});

describe('a secret that cannot be used is a failed attempt that may be tried again, and nothing is sent', () => {
  const withField = { secret: TOKEN_ARN, field: 'token' };
  it.each<[string, unknown, HttpTarget['headers'][string], RegExp]>([
    ['is missing', undefined, TOKEN, /^There is no secret arn:aws:secretsmanager:.*-a1b2c3\.$/],
    ['is not JSON', `${VALUE} {`, withField, /is not JSON, and so has no member "token"\.$/],
    ['has no such member', { other: VALUE }, withField, /has no text under "token"\.$/],
    [
      'has an inherited member',
      { other: VALUE },
      { ...withField, field: 'constructor' },
      /has no text under/,
    ],
    ['has a number there', { token: 12345678 }, withField, /has no text under "token"\.$/],
    ['is empty', '', TOKEN, /is empty\.$/],
    ['ends in a line break', `${VALUE}\n`, TOKEN, /does not fit into the header "authorization".*line break/],
    ['would be two headers', `${VALUE}\r\nx-admin: 1`, TOKEN, /does not fit into the header/],
    ['is no ASCII', `${VALUE}ü`, TOKEN, /does not fit into the header/],
    ['is too long', VALUE.repeat(1_000), TOKEN, /at most 8192 printable ASCII characters/],
  ])('%s', async (_, content, header, detail) => {
    const { call, received, fetched } = await workerWith(
      content === undefined ? {} : { [TOKEN_ARN]: content },
    );
    const result = await call({ headers: { authorization: header } });
    expect(result).toEqual({ kind: 'failed', retryable: true, detail: expect.stringMatching(detail) });
    expect(result.detail).not.toContain('hunter2');
    expect(received).toEqual([]);
    // Somebody has mended it.
    file.write({ [TOKEN_ARN]: { token: 'fine' } });
    expect((await call({ headers: { authorization: withField } })).kind).toBe('succeeded');
    expect(fetched).toHaveLength(2);
  });

  it.each([
    ['AccessDeniedException', /^The worker may not read arn:aws:secretsmanager:.*punctual:allowedSecrets/],
    ['DecryptionFailure', /could not be read \(DecryptionFailure\)\.$/],
  ])('is refused with %s', async (type, detail) => {
    const refusing = await startReceiver((_, response) => {
      response
        .writeHead(400, { 'content-type': 'application/x-amz-json-1.1' })
        .end(JSON.stringify({ __type: type, message: `not ${VALUE}` }));
    });
    process.env.AWS_ENDPOINT_URL_SECRETS_MANAGER = refusing.url;
    const { call, received } = await workerWith({});
    const result = await call();
    process.env.AWS_ENDPOINT_URL_SECRETS_MANAGER = secretsApi.endpoint;
    await refusing.close();
    expect(result).toEqual({ kind: 'failed', retryable: true, detail: expect.stringMatching(detail) });
    expect(result.detail).not.toContain('hunter2');
    expect(received).toEqual([]);
  });

  it('does not hold up an attempt whose time is up', async () => {
    const abort = new AbortController();
    const store = createSecretStore(() => new Promise(() => {}), { now: () => NOON });
    const url = 'http://127.0.0.1:9';
    const target: HttpTarget = { kind: 'http', url, method: 'POST', headers: { authorization: TOKEN } };
    const result = createHttpCaller(sendTo, store)(target, invocation, NOON, abort.signal);
    abort.abort(new Error('timed out after PT5S'));
    expect(await result).toEqual({ kind: 'failed', retryable: true, detail: 'timed out after PT5S' });
  });
});

describe('what a target says', () => {
  it.each<[string, (request: Received) => string]>([
    ['as it is', ({ headers }) => `no such token: ${headers.authorization}`],
    ['behind much else', ({ headers }) => `${'x'.repeat(5_000)} ${headers.authorization}`],
    ['as JSON', ({ headers }) => JSON.stringify({ got: headers.authorization })],
    ['in a URL', ({ headers }) => encodeURIComponent(String(headers.authorization).slice(7))],
    ['in base64', ({ headers }) => Buffer.from(String(headers.authorization).slice(7)).toString('base64')],
  ])('is not kept when it repeats a secret %s', async (_, text) => {
    const { call } = await workerWith({ [TOKEN_ARN]: VALUE }, answering(403, text));
    expect(await call()).toMatchObject({ detail: 'HTTP 403: (repeats a secret; not kept)' });
  });

  it('is not kept in a redirect either', async () => {
    const { call } = await workerWith({ [TOKEN_ARN]: 'abcdefgh' }, (request, response) =>
      response.writeHead(302, { location: `/login/${request.headers.authorization}` }).end(),
    );
    expect((await call()).detail).not.toContain('abcdefgh');
  });

  it('is kept otherwise', async () => {
    const { call } = await workerWith(
      { [TOKEN_ARN]: VALUE },
      answering(403, () => 'not you'),
    );
    expect(await call()).toMatchObject({ detail: 'HTTP 403: not you' });
  });
});

describe('the file of secrets of an embedded run', () => {
  it.each([
    ['[1]', /has to hold an object: \{ "<ARN>": "<secret>" \}\.$/],
    ['{"a": hunter2', /is not JSON\.$/],
    [undefined, /cannot be read \(ENOENT\)\.$/],
  ])('%s is refused at the start', async (text, message) => {
    const other = secretsFile({});
    if (text === undefined) other.remove();
    else writeFileSync(other.path, text);
    const error = await startSecrets(other.path).catch((caught: Error) => caught);
    expect((error as Error).message).toMatch(message);
    expect((error as Error).message).not.toContain('hunter2');
    other.remove();
  });

  it('holds nothing when there is none', async () => {
    const empty = await startSecrets(undefined);
    process.env.AWS_ENDPOINT_URL_SSM = empty.endpoint;
    await expect(createSecretFetcher()(PARAMETER_ARN)).rejects.toThrow(
      `There is no secret ${PARAMETER_ARN}.`,
    );
    process.env.AWS_ENDPOINT_URL_SSM = secretsApi.endpoint;
    await empty.close();
  });
});
