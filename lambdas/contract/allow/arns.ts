import { OFFERED_KINDS } from '../../core/targets/index.ts';
import { matchesWildcard } from './wildcard.ts';

/** What an entry of `allowedTargets` or `allowedSecrets` may be an ARN of. */
export type ArnKind = 'target' | 'secret' | 'parameter' | 'encryptionKey';

export interface ArnForm {
  readonly kind: ArnKind;
  readonly service: string;
  /** How the resource begins, up to its name. */
  readonly prefix: string;
  /** The rest of it in an entry, as a regular expression. */
  readonly entry: string;
  /** What IAM lets the worker do with it. */
  readonly action: string;
}

/** One for each kind of target that has an ARN. */
export const TARGET_FORMS: readonly ArnForm[] = Object.values(OFFERED_KINDS).flatMap(({ allowed }) =>
  allowed.by === 'arn' ? [{ ...allowed, kind: 'target' }] : [],
);

export const SECRET_FORMS: readonly ArnForm[] = [
  {
    kind: 'secret',
    service: 'secretsmanager',
    prefix: 'secret:',
    entry: '[\\w*?/+=.@-]+',
    action: 'secretsmanager:GetSecretValue',
  },
  {
    kind: 'parameter',
    service: 'ssm',
    prefix: 'parameter/',
    entry: '[\\w*?/.-]+',
    action: 'ssm:GetParameter',
  },
  { kind: 'encryptionKey', service: 'kms', prefix: 'key/', entry: '[\\w*?-]+', action: 'kms:Decrypt' },
];

/** A wildcard may stand for anything but the service: what is allowed is always of one kind. */
const FORMS = [...TARGET_FORMS, ...SECRET_FORMS].map((form) => ({
  form,
  pattern: new RegExp(
    `^arn:(aws[a-z-]*|\\*):${form.service}:[\\w*?-]+:(\\d{12}|\\*):${form.prefix}${form.entry}$`,
  ),
}));

/** The form of an ARN or a pattern of ARNs; undefined when it has none of them. */
export function arnForm(text: string): ArnForm | undefined {
  return FORMS.find(({ pattern }) => pattern.test(text))?.form;
}

export const arnKind = (text: string): ArnKind | undefined => arnForm(text)?.kind;

/** The entry that allows everything of a form. */
export const everyArn = ({ service, prefix }: ArnForm): string => `arn:*:${service}:*:*:${prefix}*`;

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
