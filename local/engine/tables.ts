import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DynamoDBClient,
  ResourceInUseException,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { OCCURRENCES_TABLE, SCHEDULES_TABLE, type TableSpec } from '../../lambdas/contract/tables.ts';
import { LOCAL_AWS } from './aws.ts';

export interface TableNames {
  readonly schedulesTable: string;
  readonly occurrencesTable: string;
}

/** Creates the two tables as the stack does. Those that are there already are left as they are. */
export async function createTables(endpoint: string, names: TableNames): Promise<void> {
  const client = new DynamoDBClient({ ...LOCAL_AWS, endpoint });
  try {
    await createTable(client, names.schedulesTable, SCHEDULES_TABLE);
    await createTable(client, names.occurrencesTable, OCCURRENCES_TABLE);
  } finally {
    client.destroy();
  }
}

async function createTable(client: DynamoDBClient, name: string, spec: TableSpec): Promise<void> {
  try {
    await client.send(new CreateTableCommand(createInput(name, spec)));
  } catch (error) {
    if (error instanceof ResourceInUseException) return;
    throw error;
  }
  await client.send(
    new UpdateTimeToLiveCommand({
      TableName: name,
      TimeToLiveSpecification: { AttributeName: spec.ttlAttribute, Enabled: true },
    }),
  );
}

function createInput(name: string, spec: TableSpec): CreateTableCommandInput {
  const keys = [spec, ...spec.indexes].flatMap(({ partitionKey, sortKey }) => [partitionKey, sortKey]);
  const types = new Map(keys.map((key) => [key.name, key.type]));
  return {
    TableName: name,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [...types].map(([AttributeName, AttributeType]) => ({
      AttributeName,
      AttributeType,
    })),
    KeySchema: keySchema(spec),
    GlobalSecondaryIndexes: spec.indexes.map((index) => ({
      IndexName: index.indexName,
      KeySchema: keySchema(index),
      Projection: { ProjectionType: 'KEYS_ONLY' },
    })),
    ...(spec.stream && {
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
    }),
  };
}

const keySchema = ({ partitionKey, sortKey }: Pick<TableSpec, 'partitionKey' | 'sortKey'>) => [
  { AttributeName: partitionKey.name, KeyType: 'HASH' as const },
  { AttributeName: sortKey.name, KeyType: 'RANGE' as const },
];
