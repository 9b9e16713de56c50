import { matchesWildcard } from './wildcard.ts';

/** What an entry of `allowedTargets` or `allowedSecrets` may be an ARN of. */
export type ArnKind =
  | 'lambda'
  | 'sqs'
  | 'sns'
  | 'eventBus'
  | 'stateMachine'
  | 'secret'
  | 'parameter'
  | 'encryptionKey';

/** Of each kind: the service in its ARN, and what follows the account. */
const KINDS: Readonly<Record<ArnKind, readonly [service: string, resource: string]>> = {
  lambda: ['lambda', 'function:[\\w*?:$-]+'],
  sqs: ['sqs', '[\\w*?.-]+'],
  sns: ['sns', '[\\w*?.-]+'],
  eventBus: ['events', 'event-bus/[\\w*?./-]+'],
  // Without a qualifier: IAM, too, asks for the state machine, whichever version or alias is started.
  stateMachine: ['states', 'stateMachine:[\\w*?-]+'],
  secret: ['secretsmanager', 'secret:[\\w*?/+=.@-]+'],
  parameter: ['ssm', 'parameter/[\\w*?/.-]+'],
  encryptionKey: ['kms', 'key/[\\w*?-]+'],
};

/** A wildcard may stand for anything but the service: what is allowed is always of one kind. */
const FORMS = Object.entries(KINDS).map(([kind, [service, resource]]) => ({
  kind: kind as ArnKind,
  form: new RegExp(`^arn:(aws[a-z-]*|\\*):${service}:[\\w*?-]+:(\\d{12}|\\*):${resource}$`),
}));

/** The kind of an ARN or a pattern of ARNs; undefined when it is of none of them. */
export function arnKind(text: string): ArnKind | undefined {
  return FORMS.find(({ form }) => form.test(text))?.kind;
}

/**
 * Whether `arn` is as `pattern` says, by IAM's rules, since the patterns are IAM policies too: upper and lower
 * case differ, and each of the six parts between colons is compared by itself, the last with all that follows.
 */
export function arnMatches(pattern: string, arn: string): boolean {
  const parts = partsOf(arn);
  return partsOf(pattern).every((part, index) => matchesWildcard(part, parts[index] ?? ''));
}

function partsOf(arn: string): readonly string[] {
  const parts = arn.split(':');
  return [...parts.slice(0, 5), parts.slice(5).join(':')];
}
