import { InvokeCommand, type LambdaClient } from '@aws-sdk/client-lambda';

/**
 * Starts another run of a function with `payload` and does not wait for it. What follows is the function's own setting
 * (lib/every-minute.ts): a run that fails is not repeated, one that is throttled is tried again for a minute.
 */
export async function invokeAsync(
  client: LambdaClient,
  functionName: string,
  payload: unknown,
): Promise<void> {
  await client.send(
    new InvokeCommand({
      FunctionName: functionName,
      InvocationType: 'Event',
      Payload: Buffer.from(JSON.stringify(payload)),
    }),
  );
}
