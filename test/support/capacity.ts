import type { ConsumedCapacity } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

const WRITES = new Set([
  'PutItemCommand',
  'UpdateItemCommand',
  'DeleteItemCommand',
  'TransactWriteItemsCommand',
]);

/** Adds up the write request units that the engine says a client's calls consumed, indexes included. */
export function meterWrites(client: DynamoDBDocumentClient) {
  let units = 0;
  client.middlewareStack.add(
    (next, context) => async (args) => {
      if (!WRITES.has(String(context.commandName))) return next(args);
      const input = { ...args.input, ReturnConsumedCapacity: 'TOTAL' };
      const result = await next({ ...args, input } as typeof args);
      const consumed = (result.output as { ConsumedCapacity?: ConsumedCapacity | ConsumedCapacity[] })
        .ConsumedCapacity;
      for (const one of [consumed ?? []].flat()) units += one.CapacityUnits ?? 0;
      return result;
    },
    { step: 'initialize', name: 'meterWrites', priority: 'low' },
  );
  return {
    /** Units since the last call. */
    take() {
      const taken = units;
      units = 0;
      return taken;
    },
  };
}
