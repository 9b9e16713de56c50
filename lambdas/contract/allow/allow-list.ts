import { assertNever } from '../../core/errors.ts';
import type { HttpTarget, SecretRef, Target } from '../../core/schedule.ts';
import { type ArnKind, arnKind, arnMatches } from './arns.ts';
import { hostEntryFor, hostMatches, readHostEntry } from './hosts.ts';

const TARGET_KINDS: ReadonlySet<ArnKind | undefined> = new Set([
  'lambda',
  'sqs',
  'sns',
  'eventBus',
  'stateMachine',
]);
const SECRET_KINDS: ReadonlySet<ArnKind | undefined> = new Set(['secret', 'parameter', 'encryptionKey']);

export const isTargetEntry = (text: string): boolean =>
  TARGET_KINDS.has(arnKind(text)) || (!text.startsWith('arn:') && readHostEntry(text) !== undefined);

export const isSecretEntry = (text: string): boolean => SECRET_KINDS.has(arnKind(text));

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

  function arnRefusal(field: string, arn: string, compared = arn): TargetRefusal | undefined {
    if (arns.some((pattern) => arnMatches(pattern, compared))) return undefined;
    const message = `${arn} is not among what this deployment may call. Add "${compared}" to punctual:allowedTargets and deploy.`;
    return { code: 'target.not-allowed', field: `target.${field}`, value: arn, message };
  }

  function hostRefusal({ url: text }: HttpTarget): TargetRefusal | undefined {
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

  function secretRefusal(field: string, { secret }: SecretRef): TargetRefusal | undefined {
    if (readable.some((pattern) => arnMatches(pattern, secret))) return undefined;
    const message = `${secret} is not among the secrets that this deployment may read. Add it to punctual:allowedSecrets and deploy.`;
    return { code: 'secret.not-allowed', field: `target.${field}.secret`, value: secret, message };
  }

  return {
    refusalOf(target) {
      switch (target.kind) {
        case 'http':
          return hostRefusal(target) ?? firstOf(secretsOf(target), secretRefusal);
        case 'lambda':
          return arnRefusal('functionArn', target.functionArn);
        case 'sqs':
          return arnRefusal('queueArn', target.queueArn);
        case 'sns':
          return arnRefusal('topicArn', target.topicArn);
        case 'eventBus':
          return arnRefusal('eventBusArn', target.eventBusArn);
        case 'stateMachine': {
          const { stateMachineArn } = target;
          return arnRefusal(
            'stateMachineArn',
            stateMachineArn,
            stateMachineArn.split(':').slice(0, 7).join(':'),
          );
        }
        case 'pull':
        case 'canary':
          return undefined;
        default:
          // A kind that nobody has thought of here must not pass as allowed.
          return assertNever(target);
      }
    },
  };
}

/** Every secret that a target names, with its place. */
function secretsOf(target: HttpTarget): readonly (readonly [field: string, ref: SecretRef])[] {
  const inHeaders = Object.entries(target.headers).flatMap(([name, value]) =>
    typeof value === 'string' ? [] : [[`headers.${name}`, value] as const],
  );
  const signing = (target.signing?.secrets ?? []).map(
    (ref, index) => [`signing.secrets[${index}]`, ref] as const,
  );
  return [...inHeaders, ...signing];
}

function firstOf<Ref>(
  named: readonly (readonly [string, Ref])[],
  refusal: (field: string, ref: Ref) => TargetRefusal | undefined,
): TargetRefusal | undefined {
  for (const [field, ref] of named) {
    const refused = refusal(field, ref);
    if (refused) return refused;
  }
  return undefined;
}
