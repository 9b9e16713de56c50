import type { AllowList } from '../../contract/allow/allow-list.ts';
import type { TargetCaller } from '../../core/ports/target-caller.ts';

/**
 * Calls nothing that the deployment does not allow. Asked at each call, since a schedule may be older than the list;
 * such a call fails for good, with the way out in the attempt log.
 */
export function onlyAllowed(allowed: AllowList, caller: TargetCaller): TargetCaller {
  return {
    async call(target, invocation, now, signal) {
      const refusal = allowed.refusalOf(target);
      if (refusal) return { kind: 'failed', retryable: false, detail: refusal.message };
      return caller.call(target, invocation, now, signal);
    },
  };
}
