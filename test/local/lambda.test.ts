import { InvokeCommand, LambdaClient, ListFunctionsCommand } from '@aws-sdk/client-lambda';
import type { Context } from 'aws-lambda';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LOCAL_AWS } from '../../local/engine/aws.ts';
import { createFunction } from '../../local/lambda/function.ts';
import { functionName, type InvokeApi, startInvokeApi } from '../../local/lambda/invoke-api.ts';

const functionOf = (handler: (event: unknown, context: Context) => Promise<unknown>, timeoutMs = 1_000) =>
  createFunction({ name: 'punctual-test', timeoutMs, handler });

describe('a function', () => {
  it('is given its event as JSON and a context that counts down', async () => {
    const seen: { event: unknown; context: Context }[] = [];
    const test = functionOf(async (event, context) => {
      seen.push({ event, context });
      return 'done';
    });
    expect(await test.invoke({ at: new Date(0), gone: undefined })).toBe('done');
    expect(seen[0]?.event).toEqual({ at: '1970-01-01T00:00:00.000Z' });
    expect(seen[0]?.context).toMatchObject({ functionName: 'punctual-test', invokedFunctionArn: test.arn });
    expect(seen[0]?.context.awsRequestId).toMatch(/^[0-9a-f-]{36}$/);
    const left = seen[0]?.context.getRemainingTimeInMillis() ?? 0;
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(1_000);
  });

  it('fails as the handler does, and when its time is up', async () => {
    await expect(functionOf(() => Promise.reject(new TypeError('no'))).invoke({})).rejects.toThrow(TypeError);
    const never = functionOf(() => new Promise(() => {}), 20);
    await expect(never.invoke({})).rejects.toThrow(/Task timed out after 0.02 seconds/);
  });
});

describe('Invoke', () => {
  let api: InvokeApi;
  let client: LambdaClient;
  let asynchronous: unknown[];
  beforeEach(async () => {
    asynchronous = [];
    const echo = functionOf(async (event) => {
      if ((event as { fail?: boolean }).fail) throw new RangeError('as asked');
      return { echo: event };
    });
    api = await startInvokeApi(
      (name) => (name === echo.name ? echo : undefined),
      (_, event) => asynchronous.push(event),
    );
    client = new LambdaClient({ ...LOCAL_AWS, endpoint: api.endpoint });
  });
  afterEach(async () => {
    client.destroy();
    await api.close();
  });
  const invoke = (FunctionName: string, payload: unknown, InvocationType?: 'Event' | 'RequestResponse') =>
    client.send(
      new InvokeCommand({
        FunctionName,
        Payload: JSON.stringify(payload),
        ...(InvocationType && { InvocationType }),
      }),
    );

  it('answers with the result, or with the error and its mark', async () => {
    const good = await invoke('punctual-test', { a: 1 });
    expect([good.StatusCode, good.Payload?.transformToString()]).toEqual([200, '{"echo":{"a":1}}']);
    const bad = await invoke('punctual-test', { fail: true });
    expect(bad.FunctionError).toBe('Unhandled');
    expect(JSON.parse(bad.Payload?.transformToString() ?? '')).toMatchObject({
      errorType: 'RangeError',
      errorMessage: 'as asked',
    });
  });

  it('answers at once to an Event', async () => {
    expect((await invoke('punctual-test', { shards: [1] }, 'Event')).StatusCode).toBe(202);
    expect(asynchronous).toEqual([{ shards: [1] }]);
  });

  it('says that a function is not there', async () => {
    await expect(invoke('other', {})).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
      message: 'Function not found: other',
    });
  });

  it('says that another service is not there, instead of letting it be asked for on AWS', async () => {
    await expect(client.send(new ListFunctionsCommand({}))).rejects.toThrow(
      /The embedded run plays DynamoDB, SQS/,
    );
  });

  it.each([
    ['name', 'name'],
    ['name:live', 'name'],
    ['000000000000:function:name', 'name'],
    ['arn:aws:lambda:us-east-1:000000000000:function:name:live', 'name'],
  ])('knows %s as %s', (asked, name) => {
    expect(functionName(asked)).toBe(name);
  });
});
