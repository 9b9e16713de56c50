import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { SORT } from '../../contract/tables.ts';
import { fairGroup, occurrenceId, type Places } from '../../core/ids.ts';
import { type ItemKey, occurrenceKeyOf } from './keys.ts';

/** An image of the occurrences stream as the relay reads it. The stream is the outbox. */
function imageOf(image: NonNullable<DynamoDBRecord['dynamodb']>['NewImage']) {
  if (!image) return undefined;
  const item = unmarshall(image as Record<string, AttributeValue>);
  const key = occurrenceKeyOf(item as unknown as ItemKey);
  return {
    id: occurrenceId(key),
    group: fairGroup(key),
    status: item.status as string,
    pull: item.pull_queue !== undefined,
    dispatchSeq: item.dispatch_seq as number,
    sends: (item.sends as number | undefined) ?? 0,
    dueAt: item.due_at as number,
    waits: item.waiting_for !== undefined,
    isDirect: item.direct_seq !== undefined && item.direct_seq === item.dispatch_seq,
    ...(isFilled(item.places) && { places: item.places }),
  };
}

const isFilled = (places: unknown): places is Places =>
  typeof places === 'object' && places !== null && Object.keys(places).length > 0;

/** Slots and whatever else shares the table are not occurrences: their records have no images here. */
export function outboxRecordOf(record: DynamoDBRecord) {
  const isOccurrence = record.dynamodb?.Keys?.sk?.S?.startsWith(SORT.occurrence) ?? false;
  return {
    sequenceNumber: record.dynamodb?.SequenceNumber ?? '',
    before: isOccurrence ? imageOf(record.dynamodb?.OldImage) : undefined,
    after: isOccurrence ? imageOf(record.dynamodb?.NewImage) : undefined,
  };
}
