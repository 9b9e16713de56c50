import type { AllowList } from '../../contract/allow/allow-list.ts';
import type { CallResult, Invocation, TargetCaller } from '../../core/ports/target-caller.ts';
import type { Target, TargetOf } from '../../core/targets/index.ts';
import type { EpochMs } from '../../core/time.ts';
import { createSecretFetcher } from '../secrets/fetch-secret.ts';
import { createSecretStore } from '../secrets/secret-store.ts';
import { createEventBusCaller } from './event-bus.ts';
import { createAddressGuard } from './http/address-guard.ts';
import { createHttpCaller } from './http/call.ts';
import { createConnections } from './http/connections.ts';
import { createRequestSender } from './http/request.ts';
import { createLambdaCaller } from './lambda.ts';
import { onlyAllowed } from './only-allowed.ts';
import { createSnsCaller } from './sns.ts';
import { createSqsCaller } from './sqs.ts';
import { createStateMachineCaller } from './state-machine.ts';

interface CallerOf<Kind extends Target> {
  /** A method, so that the caller of a kind can be looked up by any target of that kind. */
  call(target: Kind, invocation: Invocation, signal: AbortSignal, now: EpochMs): Promise<CallResult>;
}

/** One for each kind: the compiler names the one that is missing. */
export type Callers = { readonly [Kind in Target['kind']]: CallerOf<TargetOf<Kind>>['call'] };

/** One caller for every kind of target. */
export function createTargetCaller(config: {
  readonly allowed: AllowList;
  /** CIDR ranges that http targets may reach although they are not public. */
  readonly httpAllowedRanges: readonly string[];
  readonly clock: { readonly now: () => number };
}): TargetCaller {
  const http = createHttpCaller(
    createRequestSender(createAddressGuard(config.httpAllowedRanges), createConnections(config.clock.now)),
    createSecretStore(createSecretFetcher(), config.clock),
  );
  const callers: Callers = {
    http: (target, invocation, signal, now) => http(target, invocation, now, signal),
    lambda: createLambdaCaller(),
    sqs: createSqsCaller(),
    sns: createSnsCaller(),
    eventBus: createEventBusCaller(),
    stateMachine: createStateMachineCaller(),
    pull: async () => {
      throw new Error('A pull target is not called: workers claim what is due.');
    },
    canary: async () => ({ kind: 'succeeded' }),
  };
  const byKind: Readonly<Record<Target['kind'], CallerOf<Target>['call']>> = callers;
  return onlyAllowed(config.allowed, {
    call: async (target, invocation, now, signal) => byKind[target.kind](target, invocation, signal, now),
  });
}
