import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { occurrenceOf } from '../../lambdas/adapters/dynamodb/occurrences/occurrence-items.ts';
import { SORT } from '../../lambdas/contract/tables.ts';
import { isTerminal, type Occurrence } from '../../lambdas/core/occurrence/occurrence.ts';

/** A change of an occurrence that is worth a line. */
export type Change =
  | { readonly kind: 'started'; readonly occurrence: Occurrence & { status: 'running' } }
  /** Back to pending: another attempt follows. */
  | { readonly kind: 'retrying'; readonly occurrence: Occurrence }
  | { readonly kind: 'ended'; readonly occurrence: Occurrence };

/** What one record of the occurrences stream says happened; undefined for what nobody needs to see. */
export function changeOf(record: DynamoDBRecord): Change | undefined {
  const after = imageOf(record.dynamodb?.NewImage);
  if (!after) return undefined;
  const before = imageOf(record.dynamodb?.OldImage);
  if (after.status === 'running') {
    // A renewal of the lease leaves the attempt as it was.
    const renewed = before?.status === 'running' && before.attempt === after.attempt;
    return renewed ? undefined : { kind: 'started', occurrence: after };
  }
  if (isTerminal(after.status))
    return before?.status === after.status ? undefined : { kind: 'ended', occurrence: after };
  return before?.status === 'running' ? { kind: 'retrying', occurrence: after } : undefined;
}

function imageOf(image: NonNullable<DynamoDBRecord['dynamodb']>['NewImage']): Occurrence | undefined {
  if (!image?.sk?.S?.startsWith(SORT.occurrence)) return undefined;
  return occurrenceOf(unmarshall(image as Record<string, AttributeValue>));
}
