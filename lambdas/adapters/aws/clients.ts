import { LambdaClient } from '@aws-sdk/client-lambda';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { Pluggable, RetryStrategyV2 } from '@smithy/types';
import { SECOND } from '../../core/time.ts';
import { limitCalls } from './call-limit.ts';
import { timeLeft } from './deadline.ts';
import { createRetryStrategy } from './retry-strategy.ts';

/** What is used of any client of the SDK. */
interface AwsClient {
  // biome-ignore lint/suspicious/noExplicitAny: inputs and outputs of every service
  readonly middlewareStack: { use(plugin: Pluggable<any, any>): void };
}

// biome-ignore lint/suspicious/noExplicitAny: each service has a type of its own for what all of them share
type ClientKind<Client> = new (config: any) => Client;

export interface Patience {
  /** Milliseconds until a connection stands. */
  readonly connectWithin: number;
  /** Milliseconds until a call has been answered as a whole. */
  readonly answerWithin: number;
}

const PATIENCE: Patience = { connectWithin: SECOND, answerWithin: 5 * SECOND };
/** Targets may be on another continent. */
const TARGET_CONNECT_WITHIN = 3 * SECOND;

/**
 * Time spent in the queue for a connection would count as the service's. How much is under way at once is bounded
 * where the calls are made.
 */
const UNQUEUED = {
  httpAgent: { maxSockets: Number.POSITIVE_INFINITY },
  httpsAgent: { maxSockets: Number.POSITIVE_INFINITY },
};

/**
 * A client of a service that Punctual works with: it never waits long for an answer, tries again what may go through
 * later, and gives up within the time of the invocation.
 */
export function serviceClient<Client extends AwsClient>(
  Kind: ClientKind<Client>,
  config: object,
  { connectWithin, answerWithin }: Patience = PATIENCE,
): Client {
  const now = Date.now;
  const retryStrategy: RetryStrategyV2 = createRetryStrategy({ now, random: Math.random, timeLeft });
  const requestHandler = {
    ...UNQUEUED,
    connectionTimeout: connectWithin,
    requestTimeout: answerWithin,
    // Without it the SDK writes a warning and goes on waiting.
    throwOnRequestTimeout: true,
    socketTimeout: answerWithin,
  };
  const client = new Kind({ requestHandler, retryStrategy, ...config });
  client.middlewareStack.use(limitCalls(answerWithin, now));
  return client;
}

/**
 * A client that calls targets. One call is one attempt: a retry of the SDK's would be an attempt that nobody
 * recorded. How long it may take is for the schedule to say, whose timeout aborts it.
 */
export function targetClient<Client extends AwsClient>(Kind: ClientKind<Client>, config: object): Client {
  const requestHandler = { ...UNQUEUED, connectionTimeout: TARGET_CONNECT_WITHIN, socketTimeout: 0 };
  return new Kind({ maxAttempts: 1, requestHandler, ...config });
}

export const createSqsClient = () => serviceClient(SQSClient, {});
export const createLambdaClient = () => serviceClient(LambdaClient, {});
