import { DeleteCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { TTL_ATTRIBUTE } from '../../../lambdas/contract/tables.ts';
import { SECOND } from '../../../lambdas/core/time.ts';
import type { World } from './world.ts';

/** What DynamoDB's TTL does at its earliest: removes every item whose time to be purged has come. */
export async function purge({ lane, time }: World): Promise<void> {
  const { context, observer } = lane;
  for (const TableName of [context.schedulesTable, context.occurrencesTable]) {
    const { Items = [] } = await observer.send(new ScanCommand({ TableName, ConsistentRead: true }));
    for (const { pk, sk, [TTL_ATTRIBUTE]: at } of Items) {
      if (typeof at !== 'number' || at * SECOND > time.now()) continue;
      await observer.send(new DeleteCommand({ TableName, Key: { pk, sk } }));
    }
  }
}
