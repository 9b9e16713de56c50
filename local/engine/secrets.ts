import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { LocalRunError } from '../errors.ts';
import { readBody } from '../gateway/body.ts';
import { LOOPBACK, listen } from './ports.ts';
import { closeServer, portOf } from './server.ts';

const MAX_REQUEST = 64 * 1024;

export interface SecretsApi {
  readonly endpoint: string;
  close(): Promise<void>;
}

/**
 * What the worker asks of Secrets Manager and Systems Manager, out of a file: an object with a member for each ARN,
 * whose value is the secret, as text or as the JSON that the text would be. It is read for each request, so that a
 * secret can be exchanged while the run goes on. Without a file there is no secret.
 */
export async function startSecrets(file: string | undefined): Promise<SecretsApi> {
  if (file !== undefined) readSecrets(file);
  const server = createServer((request, response) => {
    answer(file, request, response).catch((error: Error) =>
      refuse(response, 500, 'InternalServiceError', error.message),
    );
  });
  await listen(server, 0);
  return { endpoint: `http://${LOOPBACK}:${portOf(server)}`, close: () => closeServer(server) };
}

async function answer(file: string | undefined, request: IncomingMessage, response: ServerResponse) {
  const body = await readBody(request, MAX_REQUEST);
  const asked = body === 'too-large' ? {} : JSON.parse(body.toString('utf8'));
  const secrets = file === undefined ? {} : readSecrets(file);
  const textOf = (arn: string) => (Object.hasOwn(secrets, arn) ? asText(secrets[arn]) : undefined);
  switch (request.headers['x-amz-target']) {
    case 'secretsmanager.GetSecretValue': {
      const SecretString = textOf(asked.SecretId);
      if (SecretString === undefined)
        return refuse(response, 400, 'ResourceNotFoundException', 'Not in the file.');
      return send(response, 200, { ARN: asked.SecretId, SecretString });
    }
    case 'AmazonSSM.GetParameter': {
      const Value = textOf(asked.Name);
      if (Value === undefined) return refuse(response, 400, 'ParameterNotFound', 'Not in the file.');
      return send(response, 200, { Parameter: { ARN: asked.Name, Type: 'SecureString', Value } });
    }
    default:
      return refuse(
        response,
        400,
        'UnknownOperationException',
        'Only GetSecretValue and GetParameter are played.',
      );
  }
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Says which file is wrong, and nothing of what it holds. */
function readSecrets(file: string): Readonly<Record<string, unknown>> {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    const why =
      error instanceof SyntaxError
        ? 'is not JSON'
        : `cannot be read (${(error as NodeJS.ErrnoException).code})`;
    throw new LocalRunError(`The file of secrets, ${file}, ${why}.`);
  }
  if (typeof content === 'object' && content !== null && !Array.isArray(content)) return { ...content };
  throw new LocalRunError(`The file of secrets, ${file}, has to hold an object: { "<ARN>": "<secret>" }.`);
}

function refuse(response: ServerResponse, status: number, type: string, message: string): void {
  send(response, status, { __type: type, message });
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(body));
}
