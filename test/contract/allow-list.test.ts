import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { onlyAllowed } from '../../lambdas/adapters/targets/only-allowed.ts';
import { assertAllowed } from '../../lambdas/api/schedules/definition/definition.ts';
import { createAllowList, isSecretEntry, isTargetEntry } from '../../lambdas/contract/allow/allow-list.ts';
import { arnMatches } from '../../lambdas/contract/allow/arns.ts';
import { hostEntryFor } from '../../lambdas/contract/allow/hosts.ts';
import { matchesWildcard } from '../../lambdas/contract/allow/wildcard.ts';
import type { HttpTarget } from '../../lambdas/core/targets/http/http.ts';
import type { Target } from '../../lambdas/core/targets/index.ts';
import { NOON } from '../support/fixtures.ts';
import { invocation } from '../support/invocation.ts';

const httpTarget = (url: string, changes: Partial<HttpTarget> = {}): HttpTarget => ({
  kind: 'http',
  url,
  method: 'POST',
  headers: {},
  ...changes,
});
const allows = (entries: readonly string[], target: Target, secrets: readonly string[] = []) =>
  createAllowList(entries, secrets).refusalOf(target) === undefined;

describe('wildcards', () => {
  it('mean what a regular expression made of them means', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', ':', '/', '*', '?'), maxLength: 12 });
    fc.assert(
      fc.property(letters, letters, (pattern, text) => {
        const escaped = pattern.replaceAll('*', '.*').replaceAll('?', '.');
        expect(matchesWildcard(pattern, text)).toBe(new RegExp(`^${escaped}$`).test(text));
      }),
      { numRuns: 3_000 },
    );
  });

  it('take no time that grows with the number of them', () => {
    // A backtracking engine does not come to an end with this one.
    expect(matchesWildcard(`${'*a'.repeat(250)}b`, 'a'.repeat(2_000))).toBe(false);
  });
});

describe('ARNs', () => {
  const queue = 'arn:aws:sqs:eu-west-1:123456789012:orders-eu';
  it.each([
    [queue, true],
    ['arn:aws:sqs:eu-west-1:123456789012:orders-*', true],
    ['arn:aws:sqs:eu-west-?:123456789012:orders-??', true],
    ['arn:*:sqs:*:*:*', true],
    ['arn:aws:sqs:eu-west-1:123456789012:Orders-eu', false],
    ['arn:aws:sqs:eu-west-1:123456789012:orders-', false],
    ['arn:aws:sqs:eu-west-1:123456789012:orders-eu?', false],
    ['arn:aws:sqs:eu-west-2:123456789012:*', false],
    ['arn:aws:sqs:eu-west-1:210987654321:*', false],
    ['arn:aws:sns:*:*:*', false],
  ])('%s covers the queue: %s', (pattern, expected) => {
    expect(allows([pattern], { kind: 'sqs', queueArn: queue })).toBe(expected);
  });

  it('are compared part by part: a wildcard stays in its own', () => {
    expect(
      arnMatches('arn:aws:lambda:*:function:x', 'arn:aws:lambda:eu-west-1:123456789012:function:x'),
    ).toBe(false);
    expect(arnMatches('arn:aws:sqs:*:1:q', 'arn:aws:sqs:eu:2:1:q')).toBe(false);
  });

  it('of a function are with their alias or without, and of a state machine always without, as IAM has them', () => {
    const fn = (functionArn: string): Target => ({ kind: 'lambda', functionArn });
    const report = 'arn:aws:lambda:eu-west-1:123456789012:function:report';
    expect(allows([report], fn(report))).toBe(true);
    expect(allows([report], fn(`${report}:live`))).toBe(false);
    expect(allows([`${report}:*`], fn(`${report}:live`))).toBe(true);
    expect(allows([`${report}:*`], fn(report))).toBe(false);
    const nightly = 'arn:aws:states:eu-west-1:123456789012:stateMachine:nightly';
    expect(allows([nightly], { kind: 'stateMachine', stateMachineArn: `${nightly}:live` })).toBe(true);
  });
});

describe('hosts', () => {
  it('are all allowed while none is named, and ARNs name none', () => {
    expect(allows([], httpTarget('https://anything.example/'))).toBe(true);
    expect(allows(['arn:aws:sqs:*:*:*'], httpTarget('https://anything.example/'))).toBe(true);
    expect(allows(['other.example'], httpTarget('https://anything.example/'))).toBe(false);
  });

  it.each([
    ['api.example.com', 'https://api.example.com/x?y#z', true],
    ['api.example.com', 'HTTPS://API.Example.COM:443/', true],
    ['api.example.com', 'https://api.example.com./', true],
    ['API.example.com.', 'https://api.example.com/', true],
    ['api.example.com', 'https://api%2Eexample.com/', true],
    ['api.example.com', 'http://api.example.com/', false],
    ['http://api.example.com', 'http://api.example.com:80/', true],
    ['http://api.example.com', 'https://api.example.com/', false],
    ['api.example.com', 'https://api.example.com:8443/', false],
    ['api.example.com:8443', 'https://api.example.com:8443/', true],
    ['api.example.com:8443', 'https://api.example.com/', false],
    ['api.example.com:443', 'https://api.example.com/', true],
    ['api.example.com', 'https://api.example.com.evil.test/', false],
    ['api.example.com', 'https://evil.test/api.example.com', false],
    ['api.example.com', 'https://evil.test\\@api.example.com/', false],
    ['api.example.com', 'https://api.example.com@evil.test/', false],
    ['api.example.com', 'https://user:pass@api.example.com/', false],
    ['*.example.com', 'https://a.example.com/', true],
    ['*.example.com', 'https://a.b.example.com/', true],
    ['*.example.com', 'https://example.com/', false],
    ['*.example.com', 'https://anexample.com/', false],
    ['*.example.com', 'https://example.com.evil.test/', false],
    ['bücher.example', 'https://xn--bcher-kva.example/', true],
    ['xn--bcher-kva.example', 'https://BÜCHER.example/', true],
    ['*.bücher.example', 'https://a.bücher.example/', true],
    ['http://10.1.2.3', 'http://0xa.1.515/', true],
    ['http://10.1.2.3', 'http://167838211/', true],
    ['http://10.1.2.3', 'http://10.1.2.4/', false],
    ['[2606:4700::1]', 'https://[2606:4700:0:0:0:0:0:1]/', true],
    ['[2606:4700::1]', 'https://[2606:4700::2]/', false],
  ])('%s allows %s: %s', (entry, url, expected) => {
    expect(isTargetEntry(entry)).toBe(true);
    expect(allows([entry], httpTarget(url))).toBe(expected);
  });

  it('are refused with an entry that would allow them', () => {
    const host = fc.constantFrom('a.example', 'bücher.example', '10.1.2.3', '[::1]', 'x.example.');
    const port = fc.constantFrom('', ':80', ':443', ':8080');
    fc.assert(
      fc.property(fc.constantFrom('http', 'https'), host, port, (scheme, name, at) => {
        const url = `${scheme}://${name}${at}/path`;
        const refusal = createAllowList(['other.example'], []).refusalOf(httpTarget(url));
        const entry = /Add "([^"]+)" to punctual:allowedTargets/.exec(refusal?.message ?? '')?.[1] ?? '';
        expect(entry).toBe(hostEntryFor(new URL(url)));
        expect(isTargetEntry(entry)).toBe(true);
        expect(allows(['other.example', entry], httpTarget(url))).toBe(true);
      }),
    );
  });
});

describe('secrets', () => {
  const secret = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:crm/token-a1b2c3';
  const parameter = 'arn:aws:ssm:eu-west-1:123456789012:parameter/crm/key';
  const target = httpTarget('https://api.example.com/', {
    headers: { 'x-plain': 'text', authorization: { secret, prefix: 'Bearer ' } },
    signing: { secrets: [{ secret: parameter }] },
  });

  it('have to be named, each of them', () => {
    const crm = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:crm/token-??????';
    expect(allows([], target, [crm, parameter])).toBe(true);
    expect(createAllowList([], []).refusalOf(target)).toMatchObject({
      code: 'secret.not-allowed',
      field: 'target.headers.authorization.secret',
      value: secret,
    });
    expect(createAllowList([], [crm]).refusalOf(target)).toMatchObject({
      field: 'target.signing.secrets[0].secret',
      value: parameter,
    });
  });

  it('are not allowed by a key, nor by being a target', () => {
    const key = 'arn:aws:kms:eu-west-1:123456789012:key/1234abcd';
    expect([isSecretEntry(key), isTargetEntry(key), isTargetEntry(secret)]).toEqual([true, false, false]);
    expect(allows([], target, [key])).toBe(false);
  });
});

describe('what may be stored', () => {
  const anyOf = (...choices: string[]) => fc.constantFrom(...choices);
  const arn = (service: string, resource: fc.Arbitrary<string>) =>
    fc
      .tuple(
        anyOf('aws', 'aws-cn'),
        anyOf('eu-west-1', 'us-east-1'),
        anyOf('123456789012', '210987654321'),
        resource,
      )
      .map(
        ([partition, region, account, rest]) => `arn:${partition}:${service}:${region}:${account}:${rest}`,
      );
  const url = fc
    .tuple(
      anyOf('http://', 'https://', 'HTTPS://', 'https://u:p@'),
      anyOf('a.example', 'A.Example.', 'x.a.example', '10.1.2.3', '0xa010203', '[::ffff:10.1.2.3]'),
      anyOf('', ':443', ':80', ':8443'),
    )
    .map((parts) => `${parts.join('')}/p`);
  const secret = arn('secretsmanager', anyOf('secret:crm-a1b2c3', 'secret:pay/key-a1b2c3'));
  const target: fc.Arbitrary<Target> = fc.oneof(
    arn('lambda', anyOf('function:a', 'function:a:live')).map((functionArn) => ({
      kind: 'lambda' as const,
      functionArn,
    })),
    arn('sqs', anyOf('a', 'a.fifo', 'ab')).map((queueArn) => ({ kind: 'sqs' as const, queueArn })),
    arn('states', anyOf('stateMachine:a', 'stateMachine:a:1')).map((stateMachineArn) => ({
      kind: 'stateMachine' as const,
      stateMachineArn,
    })),
    fc.tuple(url, fc.option(secret), fc.option(secret)).map(([at, header, signing]) =>
      httpTarget(at, {
        ...(header && { headers: { authorization: { secret: header } } }),
        ...(signing && { signing: { secrets: [{ secret: signing }] } }),
      }),
    ),
    fc.constant({ kind: 'pull' as const, queue: 'q' }),
  );
  const targetEntry = anyOf(
    'arn:aws:lambda:*:123456789012:function:a',
    'arn:*:lambda:eu-west-?:*:function:a*',
    'arn:aws:sqs:eu-west-1:123456789012:a?',
    'arn:*:sqs:*:*:a*',
    'arn:aws:states:us-east-1:*:stateMachine:a',
    'a.example',
    'http://a.example',
    '*.a.example:8443',
    'http://10.1.2.3',
  );
  const secretEntry = anyOf(
    'arn:aws:secretsmanager:*:123456789012:secret:crm-??????',
    'arn:*:secretsmanager:*:*:secret:pay/*',
  );

  it('is what is called, whatever the lists and the spelling', async () => {
    let [stored, refused] = [0, 0];
    const lists = [fc.array(targetEntry, { maxLength: 3 }), fc.array(secretEntry, { maxLength: 2 })] as const;
    await fc.assert(
      fc.asyncProperty(...lists, target, async (targets, secrets, one) => {
        const allowed = createAllowList(targets, secrets);
        const isStored = (() => {
          try {
            assertAllowed(allowed, { target: one });
            return true;
          } catch {
            return false;
          }
        })();
        let called = false;
        const caller = onlyAllowed(allowed, {
          async call() {
            called = true;
            return { kind: 'succeeded', detail: '' };
          },
        });
        const result = await caller.call(one, invocation, NOON, new AbortController().signal);
        expect(called).toBe(isStored);
        if (!isStored) expect(result).toMatchObject({ kind: 'failed', retryable: false });
        if (isStored) stored += 1;
        else refused += 1;
      }),
      { numRuns: 2_000 },
    );
    expect(Math.min(stored, refused)).toBeGreaterThan(200);
  });
});
