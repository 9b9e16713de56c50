import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { StoreContext } from './client.ts';
import { type Expression, placeholders } from './conditions.ts';
import type { Item } from './item.ts';
import type { ItemKey } from './keys.ts';

/** The item as it then is; or, where the condition did not hold, as it was met, if there was any. */
export type Updated =
  | { readonly kind: 'written'; readonly item: Item }
  | { readonly kind: 'refused'; readonly item?: Item };

/** One conditional write of one item of the occurrences table. */
export async function updateItem(
  { client, occurrencesTable }: Pick<StoreContext, 'client' | 'occurrencesTable'>,
  Key: ItemKey,
  write: Expression,
  condition: Expression,
): Promise<Updated> {
  try {
    const answer = await client.send(
      new UpdateCommand({
        TableName: occurrencesTable,
        Key: { ...Key },
        UpdateExpression: write.text,
        ConditionExpression: condition.text,
        ...placeholders(write, condition),
        ReturnValues: 'ALL_NEW',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    return { kind: 'written', item: answer.Attributes as Item };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return error.Item ? { kind: 'refused', item: unmarshall(error.Item) } : { kind: 'refused' };
  }
}
