import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { arnKind } from '../../contract/allow/arns.ts';
import { serviceClient } from '../aws/clients.ts';
import { byRegion } from '../by-region.ts';
import { SecretFault } from './secret-fault.ts';

const MISSING = new Set(['ResourceNotFoundException', 'ParameterNotFound', 'ParameterVersionNotFound']);
const DENIED = new Set(['AccessDeniedException', 'AccessDenied', 'KMSAccessDeniedException']);

/** Gets the text of a secret of Secrets Manager or a parameter of Systems Manager; throws a `SecretFault`. */
export function createSecretFetcher(): (arn: string) => Promise<string> {
  const managers = byRegion((region) => serviceClient(SecretsManagerClient, { region }));
  const systems = byRegion((region) => serviceClient(SSMClient, { region }));

  async function textOf(arn: string): Promise<string | undefined> {
    if (arnKind(arn) === 'parameter') {
      const answer = await systems(arn).send(new GetParameterCommand({ Name: arn, WithDecryption: true }));
      return answer.Parameter?.Value;
    }
    return (await managers(arn).send(new GetSecretValueCommand({ SecretId: arn }))).SecretString;
  }

  return async (arn) => {
    const text = await textOf(arn).catch((error: unknown) => {
      throw faultOf(arn, error);
    });
    if (text === undefined) throw new SecretFault(`${arn} holds bytes and no text.`);
    return text;
  };
}

function faultOf(arn: string, error: unknown): SecretFault {
  const { name, code } = error as NodeJS.ErrnoException;
  if (MISSING.has(name)) return new SecretFault(`There is no secret ${arn}.`);
  if (DENIED.has(name)) {
    return new SecretFault(
      `The worker may not read ${arn}: see punctual:allowedSecrets, which has to name its key, too, when that ` +
        'is a key of your own.',
    );
  }
  return new SecretFault(`${arn} could not be read (${[name, code].filter(Boolean).join(', ')}).`);
}
