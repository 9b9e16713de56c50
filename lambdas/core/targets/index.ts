import type * as z from 'zod';
import { eventBus } from './aws/event-bus.ts';
import { lambda } from './aws/lambda.ts';
import { sns } from './aws/sns.ts';
import { sqs } from './aws/sqs.ts';
import { stateMachine } from './aws/state-machine.ts';
import { canary } from './canary.ts';
import { http } from './http/http.ts';
import type { TargetKind } from './kind.ts';
import { pull } from './pull.ts';

/** Every kind that a schedule may name. Schema, allow list, IAM and hints derive from this list. */
export const OFFERED_KINDS = { http, lambda, sqs, sns, eventBus, stateMachine, pull };

/** And the one that only the deployment itself uses. */
const ALL_KINDS = { ...OFFERED_KINDS, canary };

export type OfferedTarget = z.output<(typeof OFFERED_KINDS)[keyof typeof OFFERED_KINDS]['schema']>;

/** What a schedule calls. */
export type Target = z.output<(typeof ALL_KINDS)[keyof typeof ALL_KINDS]['schema']>;

/** The target of one kind. */
export type TargetOf<Kind extends Target['kind']> = Extract<Target, { readonly kind: Kind }>;

/** Each kind under its own name; the compiler refuses one that is listed under another. */
export const TARGET_KINDS: { readonly [Kind in Target['kind']]: TargetKind<TargetOf<Kind>> } = ALL_KINDS;

export function kindOf(target: Target): TargetKind<Target> {
  const kinds: Readonly<Record<Target['kind'], TargetKind<Target>>> = TARGET_KINDS;
  return kinds[target.kind];
}
