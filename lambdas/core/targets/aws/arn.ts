import * as z from 'zod';
import type { ArnRule } from '../kind.ts';

const ACCOUNT = '[a-z0-9-]{1,32}:\\d{12}';

/** The ARN of one resource, whose name is as the regular expression `name` says. */
export function arnSchema(
  { service, prefix }: Pick<ArnRule<never>, 'service' | 'prefix'>,
  name: string,
  error: string,
  example: string,
) {
  return z
    .string()
    .regex(new RegExp(`^arn:aws[a-z-]*:${service}:${ACCOUNT}:${prefix}${name}$`), { error })
    .meta({ examples: [`arn:aws:${service}:eu-west-1:123456789012:${prefix}${example}`] });
}

export const messageGroupIdSchema = z
  .string()
  .regex(/^[\x21-\x7e]{1,128}$/, { error: '1 to 128 visible ASCII characters.' })
  .exactOptional()
  .meta({ description: 'For FIFO only; the schedule id when absent.' });
