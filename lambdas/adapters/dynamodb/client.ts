import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { markRetryable } from './retryable.ts';
import { translateFaults } from './store-fault.ts';

/**
 * The document client that every store uses. Endpoint, region and credentials come from the SDK's standard
 * variables (`AWS_ENDPOINT_URL_DYNAMODB`, `AWS_REGION`, …): nothing here knows which engine answers.
 */
export function createDocumentClient(config: DynamoDBClientConfig = {}): DynamoDBDocumentClient {
  // Retries cover short throttling while an on-demand table or index splits.
  const client = new DynamoDBClient({ maxAttempts: 6, ...config });
  client.middlewareStack.use(markRetryable);
  client.middlewareStack.use(translateFaults);
  return DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
}

/** The part of the stores' configuration that they all share. */
export interface StoreContext {
  readonly client: DynamoDBDocumentClient;
  readonly schedulesTable: string;
  readonly occurrencesTable: string;
  /** Shards that new writes are spread over; see design, section 4. */
  readonly shardCount: number;
  /** Days that finished occurrences are kept. */
  readonly retentionDays: number;
}
