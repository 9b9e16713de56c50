import { ComparisonOperator, Metric, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { OCCURRENCES_TABLE, SCHEDULES_TABLE, type TableSpec } from '../../lambdas/contract/tables.ts';
import { type AlarmSpec, filled, MINUTE, type Watched } from './spec.ts';

/** Requests that DynamoDB refuses. A hot index counts: it holds up the writes of its table. */
export function tablesThrottling({ tables }: Watched): AlarmSpec[] {
  return [
    throttles('schedules', tables.schedules, SCHEDULES_TABLE),
    throttles('occurrences', tables.occurrences, OCCURRENCES_TABLE),
  ];
}

function throttles(name: string, { tableName }: Table, { indexes }: TableSpec): AlarmSpec {
  const event = (metricName: string, index?: string) =>
    new Metric({
      namespace: 'AWS/DynamoDB',
      metricName,
      dimensionsMap: {
        TableName: tableName,
        ...(index !== undefined && { GlobalSecondaryIndexName: index }),
      },
      statistic: Stats.SUM,
      period: MINUTE,
    });
  const metrics = {
    reads: event('ReadThrottleEvents'),
    writes: event('WriteThrottleEvents'),
    ...Object.fromEntries(
      indexes.flatMap(({ indexName }) => [
        [`reads_${indexName}`, event('ReadThrottleEvents', indexName)],
        [`writes_${indexName}`, event('WriteThrottleEvents', indexName)],
      ]),
    ),
  };
  return {
    id: `${name}-throttled`,
    description: `DynamoDB refuses requests to the ${name} table or to one of its indexes.`,
    about: 'engine',
    metric: filled(metrics, 'Throttle events'),
    comparison: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    threshold: 1,
    // The SDK tries again, and DynamoDB splits what is hot within minutes of a burst. What lasts is a hot key, or a
    // limit of the table or the account.
    datapoints: { bad: 5, of: 7 },
    // DynamoDB reports events only. This setting alone it would ignore.
    missing: TreatMissingData.NOT_BREACHING,
  };
}
