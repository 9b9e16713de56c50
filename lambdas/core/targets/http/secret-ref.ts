import * as z from 'zod';
import { TARGET_LIMITS } from '../limits.ts';

const PLACE = 'arn:aws[a-z-]*';
const ACCOUNT = '[a-z0-9-]{1,32}:\\d{12}';

/** Whole ARNs: by a name alone nobody could say whether it may be read. */
const SECRET_ARN = new RegExp(
  `^(${PLACE}:secretsmanager:${ACCOUNT}:secret:[A-Za-z0-9/_+=.@-]{1,512}-[A-Za-z0-9]{6}|` +
    `${PLACE}:ssm:${ACCOUNT}:parameter/[A-Za-z0-9_.-][A-Za-z0-9_./-]{0,1010})$`,
);

const refFields = {
  secret: z
    .string()
    .regex(SECRET_ARN, {
      error:
        'The whole ARN of a secret of Secrets Manager (it ends in a hyphen and six characters) or of a parameter.',
    })
    .meta({ examples: ['arn:aws:secretsmanager:eu-west-1:123456789012:secret:crm/token-a1b2c3'] }),
  field: z.string().min(1).max(TARGET_LIMITS.secretFieldLength).exactOptional().meta({
    description: 'The member of the secret, which is then a JSON object; its whole text when absent.',
  }),
};

export const secretRefSchema = z
  .strictObject(refFields)
  .meta({ id: 'SecretRef', description: 'Where a secret is; its value is never stored or shown.' });

export const secretHeaderSchema = z
  .strictObject({
    ...refFields,
    prefix: z
      .string()
      .regex(/^[\x20-\x7e]*$/, { error: 'Printable ASCII.' })
      .max(TARGET_LIMITS.secretPrefixLength)
      .exactOptional()
      .meta({ description: 'Stands before it.', examples: ['Bearer '] }),
  })
  .meta({ id: 'SecretHeader', description: 'A header whose value is a secret.' });

/** Where a secret is. Its value is in no definition, record, answer or log. */
export type SecretRef = z.output<typeof secretRefSchema>;

/** The value of a header: `prefix`, such as `Bearer `, and the secret behind it. */
export type SecretHeader = z.output<typeof secretHeaderSchema>;
