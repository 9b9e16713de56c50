import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scheduleId } from '../../../../lambdas/core/ids.ts';
import { type ApiHandler, importApiHandler } from '../../../support/api-handler.ts';
import { openStores, type Stores } from '../../../support/stores.ts';
import { scheduleBody } from '../api.ts';

const ARN = 'arn:aws:sts::123456789012:assumed-role/operator/ada';

interface Result {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

let stores: Stores;
let handler: ApiHandler;
const before = { ...process.env };

beforeAll(async () => {
  stores = await openStores();
  handler = await importApiHandler(stores, { targets: [], secrets: [] });
});
afterAll(async () => {
  process.env = before;
  await stores.close();
});

/** As an HTTP API hands it over when the caller signed (AWS: Working with Lambda proxy integrations, format 2.0). */
const SIGNED = {
  iam: {
    accessKey: 'AKIAIOSFODNN7EXAMPLE',
    accountId: '123456789012',
    callerId: 'AIDACKCEVSQ6C2EXAMPLE:ada',
    cognitoIdentity: null,
    principalOrgId: 'aws:PrincipalOrgID',
    userArn: ARN,
    userId: 'AIDACKCEVSQ6C2EXAMPLE:ada',
  },
};

const ISSUER = 'https://login.example.com/';

/** And when a JWT authorizer let the caller in: every claim is text, scopes are a list when the route asks for any. */
function withToken(claims: Readonly<Record<string, string>>, scopes: string[] | null = null) {
  return {
    jwt: {
      claims: { aud: 'punctual', exp: '1796000000', iat: '1795996400', iss: ISSUER, ...claims },
      scopes,
    },
  };
}

async function invoke(
  method: string,
  path: string,
  body?: string,
  authorizer: object | undefined = SIGNED,
): Promise<Result> {
  const event = {
    version: '2.0',
    routeKey: 'ANY /{proxy+}',
    rawPath: path,
    rawQueryString: '',
    headers: { host: 'api.example.com', 'content-type': 'application/json' },
    requestContext: {
      requestId: 'gateway-request',
      domainName: 'api.example.com',
      http: { method, path, protocol: 'HTTP/1.1', sourceIp: '192.0.2.1', userAgent: 'test' },
      authorizer,
      routeKey: 'ANY /{proxy+}',
      stage: '$default',
    },
    isBase64Encoded: body !== undefined,
    ...(body !== undefined && { body: Buffer.from(body).toString('base64') }),
  } as unknown as APIGatewayProxyEventV2;
  const getRemainingTimeInMillis = () => 29_000;
  const context = {
    awsRequestId: 'invocation',
    functionName: 'api',
    memoryLimitInMB: '512',
    getRemainingTimeInMillis,
  };
  return (await handler(event, context as Context)) as Result;
}

describe('the function behind an HTTP API', () => {
  it('makes a schedule in the tables of its environment, in the name of who signed the request', async () => {
    const made = await invoke(
      'PUT',
      '/schedules/lambda/one',
      JSON.stringify(scheduleBody({ input: 'grüße' })),
    );
    expect(made.statusCode).toBe(201);
    expect(made.headers).toMatchObject({
      etag: '"1"',
      location: '/schedules/lambda/one',
      'content-type': 'application/json',
    });
    expect(JSON.parse(made.body)).toMatchObject({ input: 'grüße', state: 'enabled' });
    const stored = await stores.schedules.readSchedule(scheduleId('lambda', 'one'));
    expect(stored?.revision.createdBy).toBe(ARN);
  });

  it.each([
    ['its subject', withToken({ sub: 'auth0|ada', scope: 'write' }, ['write']), `auth0|ada (${ISSUER})`],
    ['its subject before its client', withToken({ sub: 'ada', client_id: 'cli' }), `ada (${ISSUER})`],
    ['its client when it has no subject', withToken({ client_id: 'nightly' }), `nightly (${ISSUER})`],
    ['its issuer when it has neither', withToken({}), `somebody (${ISSUER})`],
  ])('takes a token for %s', async (_, authorizer, principal) => {
    const path = '/schedules/lambda/tokens';
    const edit = JSON.stringify(scheduleBody({ input: principal }));
    expect((await invoke('PUT', path, edit, authorizer)).statusCode).toBeLessThan(300);
    const stored = await stores.schedules.readSchedule(scheduleId('lambda', 'tokens'));
    expect(stored?.revision).toMatchObject({ createdBy: principal });
  });

  it('takes what no authorizer has seen for nobody’s', async () => {
    await invoke('PUT', '/schedules/lambda/local', JSON.stringify(scheduleBody()), {});
    const stored = await stores.schedules.readSchedule(scheduleId('lambda', 'local'));
    expect(stored?.revision.createdBy).toBe('anonymous');
  });

  it('answers a deletion without a body, and a problem under the id that the gateway logs', async () => {
    expect(await invoke('DELETE', '/schedules/lambda/one')).toMatchObject({ statusCode: 204, body: '' });
    const gone = await invoke('GET', '/schedules/lambda/one');
    expect(gone.statusCode).toBe(404);
    expect(JSON.parse(gone.body)).toMatchObject({ code: 'schedule.not-found', instance: 'gateway-request' });
  });
});
