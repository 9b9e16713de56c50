import type { ConsumedCapacity } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

const WRITES = new Set([
  'PutItemCommand',
  'UpdateItemCommand',
  'DeleteItemCommand',
  'TransactWriteItemsCommand',
]);

const READS = new Set(['GetItemCommand', 'BatchGetItemCommand', 'QueryCommand', 'ScanCommand']);

/** Adds up the write request units that the engine says a client's calls consumed, indexes included. */
export function meterWrites(client: DynamoDBDocumentClient) {
  return meter(client, WRITES, 'meterWrites');
}

/** The same of read request units. */
export function meterReads(client: DynamoDBDocumentClient) {
  return meter(client, READS, 'meterReads');
}

function meter(client: DynamoDBDocumentClient, commands: ReadonlySet<string>, name: string) {
  let units = 0;
  client.middlewareStack.add(
    (next, context) => async (args) => {
      if (!commands.has(String(context.commandName))) return next(args);
      const input = { ...args.input, ReturnConsumedCapacity: 'TOTAL' };
      const result = await next({ ...args, input } as typeof args);
      const consumed = (result.output as { ConsumedCapacity?: ConsumedCapacity | ConsumedCapacity[] })
        .ConsumedCapacity;
      for (const one of [consumed ?? []].flat()) units += one.CapacityUnits ?? 0;
      return result;
    },
    { step: 'initialize', name, priority: 'low' },
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
