import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { LocalRunError } from '../errors.ts';
import { LOCAL_AWS } from './aws.ts';
import type { DynamoDbEngine } from './engine.ts';

/** Milliseconds. An endpoint on this machine or beside it answers in a few; a wrong address never does. */
const PATIENCE = { connectionTimeout: 2_000, requestTimeout: 5_000 };

/**
 * A DynamoDB endpoint that somebody else started: DynamoDB Local, LocalStack, or an engine on another machine. It is
 * neither started nor stopped here, and what it holds stays there.
 */
export async function connectTo(url: string): Promise<DynamoDbEngine> {
  const endpoint = endpointOf(url);
  const client = new DynamoDBClient({ ...LOCAL_AWS, endpoint, maxAttempts: 1, requestHandler: PATIENCE });
  try {
    await client.send(new ListTablesCommand({ Limit: 1 }));
  } catch (error) {
    throw new LocalRunError(
      `No DynamoDB answers at ${endpoint} (${reasonOf(error)}): start it, or correct the URL given with --dynamodb.`,
    );
  } finally {
    client.destroy();
  }
  return { endpoint, died: new Promise(() => {}), stop: async () => {} };
}

function endpointOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new LocalRunError(
      `--dynamodb takes the URL of an endpoint, such as http://127.0.0.1:8000, and not ${JSON.stringify(text)}.`,
    );
  }
  if (/\.amazonaws\.com(\.cn)?$/.test(url.hostname)) {
    throw new LocalRunError(
      `${url.hostname} is AWS itself, which a local run has no credentials for: deploy with "npx cdk deploy" instead.`,
    );
  }
  return url.origin;
}

/** Connection errors of node bring their code and often no message. */
function reasonOf(error: unknown): string {
  const { code, message, name } = error as { code?: string; message?: string; name?: string };
  return code ?? (message || name) ?? String(error);
}
