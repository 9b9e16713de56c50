import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { ApiEnv } from '../../contract/env.ts';
import { type Patience, serviceClient } from '../aws/clients.ts';
import { markRetryable } from './retryable.ts';
import { translateFaults } from './store-fault.ts';

/**
 * The document client that every store uses. Endpoint, region and credentials come from the SDK's standard
 * variables (`AWS_ENDPOINT_URL_DYNAMODB`, `AWS_REGION`, …): nothing here knows which engine answers.
 */
export function createDocumentClient(
  config: DynamoDBClientConfig = {},
  patience?: Patience,
): DynamoDBDocumentClient {
  const client = serviceClient(DynamoDBClient, config, patience);
  client.middlewareStack.use(markRetryable);
  client.middlewareStack.use(translateFaults);
  return DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
}

/** The part of the stores' configuration that they all share. */
export interface StoreContext {
  readonly client: DynamoDBDocumentClient;
  readonly schedulesTable: string;
  readonly occurrencesTable: string;
  /** Shards that new writes are spread over. */
  readonly shardCount: number;
  /** Days that finished occurrences are kept. */
  readonly retentionDays: number;
}

/** The variables of a function that say where its stores are. */
export type StoreEnv = Pick<
  ApiEnv,
  'SCHEDULES_TABLE_NAME' | 'OCCURRENCES_TABLE_NAME' | 'SHARD_COUNT' | 'RETENTION_DAYS'
>;

/** What all stores of one function share, one client among it: a client is a pool of connections. */
export function storeContext(env: StoreEnv): StoreContext {
  return {
    client: createDocumentClient(),
    schedulesTable: env.SCHEDULES_TABLE_NAME,
    occurrencesTable: env.OCCURRENCES_TABLE_NAME,
    shardCount: env.SHARD_COUNT,
    retentionDays: env.RETENTION_DAYS,
  };
}
