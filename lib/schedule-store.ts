import { RemovalPolicy } from 'aws-cdk-lib';
import {
  AttributeType,
  BillingMode,
  ProjectionType,
  StreamViewType,
  Table,
  TableEncryption,
} from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import {
  BY_GROUP_INDEX,
  type IndexSpec,
  type KeyAttribute,
  OCCURRENCES_TABLE,
  PARTITION,
  SCHEDULES_TABLE,
  type TableSpec,
} from '../lambdas/contract/tables.ts';
import type { Config } from './config.ts';

/** Heads and revisions; with them a worker or a sweep pauses a schedule whose occurrences keep failing. */
export const SCHEDULE_ITEMS = `${PARTITION.schedule}*`;

const KEY_ATTRIBUTES = [SCHEDULES_TABLE.partitionKey.name, SCHEDULES_TABLE.sortKey.name];

/** Statements on the items of schedules that may name no attributes but these, beside the keys. */
export function onAttributes(statement: PolicyStatement, ...attributes: readonly string[]): PolicyStatement {
  statement.addCondition('ForAllValues:StringLike', { 'dynamodb:LeadingKeys': [SCHEDULE_ITEMS] });
  statement.addCondition('ForAllValues:StringEquals', {
    'dynamodb:Attributes': [...KEY_ATTRIBUTES, ...attributes],
  });
  return statement;
}

/** Actions of one table that functions need; anything else is not asked for, so it cannot be granted. */
type TableAction =
  | 'BatchGetItem'
  | 'ConditionCheckItem'
  | 'DeleteItem'
  | 'GetItem'
  | 'PutItem'
  | 'Query'
  | 'Scan'
  | 'UpdateItem';

/**
 * The two tables, built from the contract. `Table` rather than `TableV2`: one Region, because transactions
 * are atomic in one Region only, and a plain table can be imported back after a point-in-time restore.
 */
export class ScheduleStore extends Construct {
  readonly schedules: Table;
  readonly occurrences: Table;

  constructor(scope: Construct, id: string, config: Config) {
    super(scope, id);
    this.schedules = this.table('Schedules', SCHEDULES_TABLE, config);
    this.occurrences = this.table('Occurrences', OCCURRENCES_TABLE, config);
  }

  /** The part of a function's environment that says where the tables are. */
  get environment() {
    return {
      SCHEDULES_TABLE_NAME: this.schedules.tableName,
      OCCURRENCES_TABLE_NAME: this.occurrences.tableName,
    };
  }

  private table(id: string, spec: TableSpec, config: Config): Table {
    const keep = config.removalPolicy === 'retain';
    const { encryptionKey: key } = config;
    const table = new Table(this, id, {
      partitionKey: attribute(spec.partitionKey),
      sortKey: attribute(spec.sortKey),
      // The load is a spike at the full hour and little in between: provisioned capacity pays from 29 % use.
      billingMode: BillingMode.PAY_PER_REQUEST,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      timeToLiveAttribute: spec.ttlAttribute,
      ...(key && { encryption: TableEncryption.CUSTOMER_MANAGED, encryptionKey: key }),
      ...warmed(config),
      deletionProtection: keep,
      removalPolicy: keep ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
      // Both images, so that a record kept after a failure tells what changed.
      ...(spec.stream && { stream: StreamViewType.NEW_AND_OLD_IMAGES }),
    });
    for (const index of spec.indexes) {
      table.addGlobalSecondaryIndex({
        indexName: index.indexName,
        partitionKey: attribute(index.partitionKey),
        sortKey: attribute(index.sortKey),
        projectionType: ProjectionType.KEYS_ONLY,
        // That of lists is written when a schedule is made or deleted, and not when it fires.
        ...(index !== BY_GROUP_INDEX && warmed(config)),
      });
    }
    return table;
  }
}

/** A new table or index has few partitions, and gets more only half an hour after it was too busy. */
function warmed({ warmWritesPerSecond: writeUnitsPerSecond }: Config) {
  return writeUnitsPerSecond === undefined ? {} : { warmThroughput: { writeUnitsPerSecond } };
}

function attribute({ name, type }: KeyAttribute) {
  return { name, type: type === 'N' ? AttributeType.NUMBER : AttributeType.STRING };
}

/** Exact actions on the items of a table; its indexes are not included. */
export function onTable(table: Table, ...actions: readonly TableAction[]): PolicyStatement {
  return new PolicyStatement({
    actions: actions.map((action) => `dynamodb:${action}`),
    resources: [table.tableArn],
  });
}

/** Exact actions on one index. */
export function onIndex(table: Table, index: IndexSpec, ...actions: readonly ('Query' | 'Scan')[]) {
  return new PolicyStatement({
    actions: actions.map((action) => `dynamodb:${action}`),
    resources: [`${table.tableArn}/index/${index.indexName}`],
  });
}
