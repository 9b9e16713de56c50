import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { type Callers, createTargetCaller } from '../../lambdas/adapters/targets/index.ts';
import { targetSchema } from '../../lambdas/api/schedules/schema/target-schema.ts';
import { createAllowList } from '../../lambdas/contract/allow/allow-list.ts';
import { arnForm, everyArn, TARGET_FORMS } from '../../lambdas/contract/allow/arns.ts';
import { lambda } from '../../lambdas/core/targets/aws/lambda.ts';
import { kindOf, type OFFERED_KINDS, TARGET_KINDS, type Target } from '../../lambdas/core/targets/index.ts';
import { defineTargetKind } from '../../lambdas/core/targets/kind.ts';
import { epochMs } from '../../lambdas/core/time.ts';
import { invocation } from '../support/invocation.ts';

/** One target of each kind, as its schema gives it; the compiler names a kind that is not here. */
const EXAMPLES: {
  readonly [Kind in keyof typeof OFFERED_KINDS]: z.input<(typeof OFFERED_KINDS)[Kind]['schema']>;
} = {
  http: { kind: 'http', url: 'https://example.com/x' },
  lambda: { kind: 'lambda', functionArn: 'arn:aws:lambda:eu-west-1:123456789012:function:x' },
  sqs: { kind: 'sqs', queueArn: 'arn:aws:sqs:eu-west-1:123456789012:x' },
  sns: { kind: 'sns', topicArn: 'arn:aws:sns:eu-west-1:123456789012:x' },
  eventBus: { kind: 'eventBus', eventBusArn: 'arn:aws:events:eu-west-1:123456789012:event-bus/x' },
  stateMachine: {
    kind: 'stateMachine',
    stateMachineArn: 'arn:aws:states:eu-west-1:123456789012:stateMachine:x',
  },
  pull: { kind: 'pull', queue: 'x' },
};
const targets = Object.values(EXAMPLES).map((example): Target => targetSchema.parse(example));

describe('a kind of target', () => {
  it.each(targets)('$kind is listed under its own name', (target) => {
    expect(kindOf(target)).toBe(TARGET_KINDS[target.kind]);
  });

  it.each(targets)('$kind is refused by an empty allow list if it has an ARN', (target) => {
    const { allowed } = kindOf(target);
    const refusal = createAllowList([], []).refusalOf(target);
    expect(refusal?.code).toBe(allowed.by === 'arn' ? 'target.not-allowed' : undefined);
    // The refusal names a field that the target has, and an entry that then allows it.
    if (allowed.by !== 'arn') return;
    expect(refusal?.field).toBe(`target.${allowed.field}`);
    expect(Object.entries(target)).toContainEqual([allowed.field, refusal?.value]);
    expect(createAllowList([allowed.arnOf(target)], []).refusalOf(target)).toBeUndefined();
  });

  it.each(targets)('$kind is not called unless it is allowed', async (target) => {
    const caller = createTargetCaller({
      allowed: { refusalOf: () => ({ code: 'target.not-allowed', field: '', value: '', message: 'no' }) },
      httpAllowedRanges: [],
      clock: { now: () => 0 },
    });
    expect(await caller.call(target, invocation, epochMs(0), AbortSignal.abort())).toMatchObject({
      kind: 'failed',
      retryable: false,
    });
  });

  it.each(targets)('$kind has a row in the documentation', ({ kind }) => {
    const page = readFileSync(new URL('../../docs/targets.md', import.meta.url), 'utf8');
    expect(page).toContain(`| \`${kind}\` |`);
  });
});

describe('ARNs of targets', () => {
  it.each(TARGET_FORMS)('of $service are taken by their own form only', (form) => {
    expect(arnForm(everyArn(form))).toBe(form);
    expect(form.action).toMatch(new RegExp(`^${form.service}:`));
  });
});

/** The compiler checks these lines: an error that is not there any more is an error itself. */
describe('the compiler', () => {
  it('refuses a kind that does not say what allows it, or has no caller', () => {
    const { allowed: _, ...rest } = lambda;
    // @ts-expect-error `allowed` is missing
    expect(defineTargetKind(rest).allowed).toBeUndefined();
    const canary: Callers['canary'] = async () => ({ kind: 'succeeded' });
    // @ts-expect-error the callers of all other kinds are missing
    const incomplete: Callers = { canary };
    expect(incomplete).toEqual({ canary });
  });

  it('refuses a kind under the name of another', () => {
    // @ts-expect-error a function is no queue
    const mixed: Pick<typeof TARGET_KINDS, 'sqs'> = { sqs: lambda };
    expect(mixed.sqs).not.toBe(TARGET_KINDS.sqs);
  });
});
