import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import {
  type DynamoDBDocumentClient,
  TransactWriteCommand,
  type TransactWriteCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { Item } from './item.ts';

export type WriteAction = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** Most actions in one transaction (AWS: API_TransactWriteItems). */
export const MAX_ACTIONS = 100;

/**
 * `failed`: the indexes of the actions whose condition did not hold, with the item that each met where it asked for
 * that (`ALL_OLD`) and there is one; nothing was written.
 */
export type TransactResult =
  | { readonly kind: 'committed' }
  | { readonly kind: 'cancelled'; readonly failed: ReadonlyMap<number, Item | undefined> };

/**
 * Writes all or nothing. Conditions that fail are an answer; anything else throws. The SDK gives each call an
 * idempotency token, so that its own retry after a lost answer does not apply the actions twice.
 */
export async function transact(
  client: DynamoDBDocumentClient,
  actions: readonly WriteAction[],
): Promise<TransactResult> {
  try {
    await client.send(new TransactWriteCommand({ TransactItems: [...actions] }));
    return { kind: 'committed' };
  } catch (error) {
    if (!(error instanceof TransactionCanceledException)) throw error;
    const failed = new Map<number, Item | undefined>();
    for (const [index, { Code, Item }] of (error.CancellationReasons ?? []).entries()) {
      if (Code === 'ConditionalCheckFailed') failed.set(index, Item && unmarshall(Item));
    }
    if (failed.size === 0) throw error;
    return { kind: 'cancelled', failed };
  }
}
