import { assertNever } from '../../core/errors.ts';
import { kindOf, type Target } from '../../core/targets/index.ts';
import type { AllowRule, ArnRule, NamedSecret } from '../../core/targets/kind.ts';
import { arnKind, arnMatches } from './arns.ts';
import { hostEntryFor, hostMatches, readHostEntry } from './hosts.ts';

export const isTargetEntry = (text: string): boolean =>
  arnKind(text) === 'target' || (!text.startsWith('arn:') && readHostEntry(text) !== undefined);

export const isSecretEntry = (text: string): boolean => {
  const kind = arnKind(text);
  return kind !== undefined && kind !== 'target';
};

/** Why a target is not called: the part of it at fault, and a sentence with the way out. */
export interface TargetRefusal {
  readonly code: 'target.not-allowed' | 'secret.not-allowed';
  /** As a request names it: `target.url`, `target.headers.authorization.secret`. */
  readonly field: string;
  readonly value: string;
  readonly message: string;
}

/** What the deployer has named. The api asks it before a definition is stored, the worker before each call. */
export interface AllowList {
  /** Undefined when the target, and every secret that it names, may be used. */
  refusalOf(target: Target): TargetRefusal | undefined;
}

/**
 * `targets`: ARNs and hosts. Without any host, http targets may name every one (those whose address is not public
 * are another matter: lambdas/adapters/targets/http/address-guard.ts); with one, only those that are named. A pull target
 * calls nothing. `secrets`: ARNs of secrets and parameters; those of keys are for IAM.
 */
export function createAllowList(targets: readonly string[], secrets: readonly string[]): AllowList {
  const arns = targets.filter((entry) => entry.startsWith('arn:'));
  const hosts = targets
    .filter((entry) => !entry.startsWith('arn:'))
    .map(readHostEntry)
    .filter((entry) => entry !== undefined);
  const readable = secrets.filter((entry) => arnKind(entry) !== 'encryptionKey');

  function arnRefusal(rule: ArnRule<Target>, target: Target): TargetRefusal | undefined {
    const arn = rule.arnOf(target);
    const granted = rule.granted?.(arn) ?? arn;
    if (arns.some((pattern) => arnMatches(pattern, granted))) return undefined;
    const message = `${arn} is not among what this deployment may call. Add "${granted}" to punctual:allowedTargets and deploy.`;
    return { code: 'target.not-allowed', field: `target.${rule.field}`, value: arn, message };
  }

  function hostRefusal(text: string): TargetRefusal | undefined {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    const refuse = (message: string): TargetRefusal => ({
      code: 'target.not-allowed',
      field: 'target.url',
      value: url?.origin ?? '',
      message,
    });
    if (url === undefined) return refuse('The URL of the target cannot be read.');
    // Checked when it was made, too; here so that whatever is stored, none are sent.
    if (url.username !== '' || url.password !== '') return refuse('The URL of the target has credentials.');
    if (hosts.length === 0 || hosts.some((entry) => hostMatches(entry, url))) return undefined;
    const entry = hostEntryFor(url);
    return refuse(
      `${url.origin} is not among the hosts that this deployment may call. Add "${entry}" to ` +
        'punctual:allowedTargets and deploy.',
    );
  }

  function secretRefusal({ field, secret }: NamedSecret): TargetRefusal | undefined {
    if (readable.some((pattern) => arnMatches(pattern, secret))) return undefined;
    const message = `${secret} is not among the secrets that this deployment may read. Add it to punctual:allowedSecrets and deploy.`;
    return { code: 'secret.not-allowed', field: `target.${field}.secret`, value: secret, message };
  }

  /** A kind without a rule does not compile, and a rule that is not known here does not either. */
  function refusalBy(rule: AllowRule<Target>, target: Target): TargetRefusal | undefined {
    switch (rule.by) {
      case 'arn':
        return arnRefusal(rule, target);
      case 'host':
        return hostRefusal(rule.urlOf(target));
      case 'nothing-is-called':
        return undefined;
      default:
        return assertNever(rule);
    }
  }

  return {
    refusalOf(target) {
      const kind = kindOf(target);
      const refusal = refusalBy(kind.allowed, target);
      if (refusal) return refusal;
      const secrets = kind.secretsOf?.(target) ?? [];
      return secrets.map(secretRefusal).find((refused) => refused !== undefined);
    },
  };
}
