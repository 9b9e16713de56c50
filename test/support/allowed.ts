import { type AllowList, createAllowList } from '../../lambdas/contract/allow/allow-list.ts';
import { LOCAL } from '../../local/settings.ts';

/** As the embedded run has it: every host, every ARN of a kind that there is. */
export const ANYTHING_ALLOWED: AllowList = createAllowList(LOCAL.allowedTargets, LOCAL.allowedSecrets);
