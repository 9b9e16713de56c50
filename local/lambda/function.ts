import { randomUUID } from 'node:crypto';
import type { Context } from 'aws-lambda';
import { LOCAL_ACCOUNT, LOCAL_AWS } from '../engine/aws.ts';

/** A deployed function's code, in Lambda's signature. Its event is whatever its trigger says. */
export type Handler = (event: never, context: Context) => Promise<unknown>;

export interface FunctionOptions {
  readonly name: string;
  readonly timeoutMs: number;
  readonly handler: Handler;
}

export interface LocalFunction {
  readonly name: string;
  readonly arn: string;
  /** One invocation; rejects as the handler does, or when its time is up. */
  invoke(event: unknown): Promise<unknown>;
  /** Invocations that have not ended. */
  readonly running: () => number;
}

/** What Lambda answers when a function was stopped for want of time. */
export class TaskTimedOut extends Error {
  override readonly name = 'Sandbox.Timedout';
  constructor(requestId: string, timeoutMs: number) {
    super(`RequestId: ${requestId} Error: Task timed out after ${(timeoutMs / 1000).toFixed(2)} seconds`);
  }
}

export function createFunction({ name, timeoutMs, handler }: FunctionOptions): LocalFunction {
  const arn = `arn:aws:lambda:${LOCAL_AWS.region}:${LOCAL_ACCOUNT}:function:${name}`;
  let running = 0;
  return {
    name,
    arn,
    running: () => running,
    async invoke(event) {
      const awsRequestId = randomUUID();
      const context = contextOf(name, arn, awsRequestId, Date.now() + timeoutMs);
      running += 1;
      // Through JSON, as between any two AWS services: what does not survive it must not be relied on.
      const invocation = handler(JSON.parse(JSON.stringify(event ?? null)) as never, context);
      const ended = invocation.finally(() => {
        running -= 1;
      });
      ended.catch(() => {});
      return within(timeoutMs, ended, () => new TaskTimedOut(awsRequestId, timeoutMs));
    },
  };
}

/**
 * Lambda would also stop the code. Within one process nobody can: what outlives its time here goes on unseen,
 * and finds its writes refused by their conditions.
 */
async function within<T>(timeoutMs: number, work: Promise<T>, error: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(error()), timeoutMs);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

function contextOf(name: string, arn: string, awsRequestId: string, endsAt: number): Context {
  return {
    functionName: name,
    functionVersion: '$LATEST',
    invokedFunctionArn: arn,
    memoryLimitInMB: '512',
    awsRequestId,
    logGroupName: `/aws/lambda/${name}`,
    logStreamName: 'local',
    callbackWaitsForEmptyEventLoop: false,
    getRemainingTimeInMillis: () => Math.max(0, endsAt - Date.now()),
    done: () => {},
    fail: () => {},
    succeed: () => {},
  };
}
