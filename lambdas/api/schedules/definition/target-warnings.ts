import type * as z from 'zod';
import type { Target } from '../../../core/targets/index.ts';
import type { noteSchema } from '../../request/common-schema.ts';

/** Names under which credentials are sent: `authorization`, `cookie`, `x-api-key`, `x-auth-token`, `client-secret`. */
const CREDENTIAL = /^(authorization|cookie)$|(^|[-_])(api-?key|token|secret|password|credentials?)$/i;

/** What is legal in a target and probably not meant. Not refused: a name says nothing certain about a value. */
export function targetWarnings(target: Target): readonly z.output<typeof noteSchema>[] {
  if (target.kind !== 'http') return [];
  return Object.entries(target.headers)
    .filter(([name, value]) => typeof value === 'string' && CREDENTIAL.test(name))
    .map(([name]) => ({
      code: 'literal-credential',
      message:
        `The header "${name}" looks like a credential. Its text is stored, and shown to everybody who may read the ` +
        'schedule; name a secret instead: { "secret": "<ARN>" }.',
    }));
}
