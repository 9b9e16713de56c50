import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { IndexSpec } from '../../contract/tables.ts';
import type { EpochMs } from '../../core/time.ts';
import { BATCH_GET_KEYS } from './batch-get.ts';
import type { ItemKey } from './keys.ts';

/** Keys of one shard of a time-sorted index up to `until`, oldest first, in pages that one BatchGetItem takes. */
export async function* indexPages(
  client: DynamoDBDocumentClient,
  table: string,
  index: IndexSpec,
  shard: number,
  until: EpochMs,
  /** Not before this, when given. */
  from?: EpochMs,
): AsyncGenerator<ItemKey[]> {
  let start: Record<string, unknown> | undefined;
  do {
    const answer = await client.send(
      new QueryCommand({
        TableName: table,
        IndexName: index.indexName,
        KeyConditionExpression: `#shard = :shard AND ${from === undefined ? '#time <= :until' : '#time BETWEEN :from AND :until'}`,
        ExpressionAttributeNames: { '#shard': index.partitionKey.name, '#time': index.sortKey.name },
        ExpressionAttributeValues: {
          ':shard': shard,
          ':until': until,
          ...(from !== undefined && { ':from': from }),
        },
        Limit: BATCH_GET_KEYS,
        ...(start && { ExclusiveStartKey: start }),
      }),
    );
    const keys = (answer.Items ?? []) as unknown as ItemKey[];
    if (keys.length > 0) yield keys;
    start = answer.LastEvaluatedKey;
  } while (start);
}
