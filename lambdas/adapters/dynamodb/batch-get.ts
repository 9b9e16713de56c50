import { BatchGetCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Item } from './head-items.ts';
import type { ItemKey } from './keys.ts';

/** Most keys in one BatchGetItem (AWS: API_BatchGetItem). */
export const BATCH_GET_KEYS = 100;

/** Reads items, consistently unless told otherwise, asking again for what DynamoDB left unprocessed. Order as asked; absent ones are left out. */
export async function batchGet(
  client: DynamoDBDocumentClient,
  table: string,
  keys: readonly ItemKey[],
  consistent = true,
): Promise<Item[]> {
  const found = new Map<string, Item>();
  for (let from = 0; from < keys.length; from += BATCH_GET_KEYS) {
    let wanted: ItemKey[] = keys.slice(from, from + BATCH_GET_KEYS).map(({ pk, sk }) => ({ pk, sk }));
    // Each round answers at least one key or throws as throttled, so this ends.
    while (wanted.length > 0) {
      const answer = await client.send(
        new BatchGetCommand({ RequestItems: { [table]: { Keys: wanted, ConsistentRead: consistent } } }),
      );
      for (const item of answer.Responses?.[table] ?? []) found.set(`${item.pk} ${item.sk}`, item);
      wanted = (answer.UnprocessedKeys?.[table]?.Keys ?? []) as unknown as ItemKey[];
    }
  }
  return keys.map(({ pk, sk }) => found.get(`${pk} ${sk}`)).filter((item) => item !== undefined);
}
