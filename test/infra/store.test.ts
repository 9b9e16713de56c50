import { describe, expect, test } from 'vitest';
import { OCCURRENCES_TABLE, SCHEDULES_TABLE } from '../../lambdas/contract/tables.ts';
import { propertiesOf, resourcesOf, templateOf } from './support/synth.ts';

const TABLE = 'AWS::DynamoDB::Table';

describe.each([
  ['StoreSchedules', SCHEDULES_TABLE],
  ['StoreOccurrences', OCCURRENCES_TABLE],
])('%s', (name, spec) => {
  const table = propertiesOf(templateOf(), TABLE, name);
  const keys = (spec: { partitionKey: { name: string }; sortKey: { name: string } }) => [
    { AttributeName: spec.partitionKey.name, KeyType: 'HASH' },
    { AttributeName: spec.sortKey.name, KeyType: 'RANGE' },
  ];

  test('has the keys and indexes of the contract, indexes with keys only', () => {
    expect(table.KeySchema).toEqual(keys(spec));
    expect(table.GlobalSecondaryIndexes).toEqual(
      spec.indexes.map((index) => ({
        IndexName: index.indexName,
        KeySchema: keys(index),
        Projection: { ProjectionType: 'KEYS_ONLY' },
      })),
    );
    expect(table.AttributeDefinitions).toEqual(
      [spec, ...spec.indexes].flatMap(({ partitionKey, sortKey }) =>
        [partitionKey, sortKey].map(({ name, type }) => ({ AttributeName: name, AttributeType: type })),
      ),
    );
  });

  test('is paid by request, purges by itself and can be restored to any second', () => {
    expect(table).toMatchObject({
      BillingMode: 'PAY_PER_REQUEST',
      TimeToLiveSpecification: { AttributeName: 'purge_at', Enabled: true },
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    });
  });

  test('has a stream of old and new images exactly where the outbox is', () => {
    expect(table.StreamSpecification).toEqual(
      spec.stream ? { StreamViewType: 'NEW_AND_OLD_IMAGES' } : undefined,
    );
  });
});

test('tables and the indexes that occurrences move are warm where a deployment says it, and as AWS makes them else', () => {
  const warm = { WriteUnitsPerSecond: 16_000 };
  const template = templateOf({ warmWritesPerSecond: 16_000 });
  for (const name of ['StoreSchedules', 'StoreOccurrences']) {
    expect(propertiesOf(templateOf(), TABLE, name)).not.toHaveProperty('WarmThroughput');
    const { WarmThroughput, GlobalSecondaryIndexes } = propertiesOf(template, TABLE, name);
    expect(WarmThroughput).toEqual(warm);
    for (const index of GlobalSecondaryIndexes as { IndexName: string; WarmThroughput?: object }[])
      expect(index.WarmThroughput, index.IndexName).toEqual(
        index.IndexName === 'by_group' ? undefined : warm,
      );
  }
});

test('tables and logs outlive the stack and tables are protected from deletion, by default', () => {
  const template = templateOf();
  for (const type of [TABLE, 'AWS::Logs::LogGroup', 'AWS::S3::Bucket']) {
    for (const [name, resource] of Object.entries(resourcesOf(template, type))) {
      expect(resource.DeletionPolicy, name).toBe('Retain');
      expect(resource.UpdateReplacePolicy, name).toBe('Retain');
    }
  }
  for (const { Properties } of Object.values(resourcesOf(template, TABLE))) {
    expect(Properties.DeletionProtectionEnabled).toBe(true);
  }
});

test("removalPolicy 'destroy' leaves nothing behind", () => {
  const template = templateOf({ removalPolicy: 'destroy' });
  for (const resource of Object.values(template.toJSON().Resources) as { DeletionPolicy?: string }[]) {
    expect(resource.DeletionPolicy).not.toBe('Retain');
  }
  for (const { Properties } of Object.values(resourcesOf(template, TABLE))) {
    expect(Properties.DeletionProtectionEnabled).toBe(false);
  }
});
