import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { TTL_ATTRIBUTE } from '../../../lambdas/contract/tables.ts';
import { type EpochMs, HOUR, SECOND } from '../../../lambdas/core/time.ts';
import type { Lane } from './lane.ts';
import type { Item } from './observer.ts';
import type { VirtualTime } from './time.ts';

/** AWS: expired items are removed "within a few days"; nothing is to depend on when. */
const LATEST = 48 * HOUR;
/** Between two looks when nothing is known to expire: nothing is kept for less than a day. */
const LOOK = HOUR;

/** `off`: nothing ever expires, as far as a story knows. The others are the ends of what DynamoDB may do. */
export type Expiry = 'off' | 'at-once' | 'late';

/** What DynamoDB's TTL does, at the worst moment that it may choose. */
export class TimeToLive {
  expiry: Expiry = 'off';
  /** Everything that it removed, as it was: what the tables once said remains true. */
  readonly removed: Item[] = [];
  #lookAt = Number.NEGATIVE_INFINITY;
  readonly #lane: Lane;
  readonly #time: VirtualTime;

  constructor(lane: Lane, time: VirtualTime) {
    this.#lane = lane;
    this.#time = time;
  }

  /** To be called whenever time may have passed. */
  async pass(): Promise<void> {
    const now = this.#time.now();
    if (this.expiry === 'off' || now < this.#lookAt) return;
    await this.#expire(now);
  }

  async #expire(now: EpochMs): Promise<void> {
    const grace = this.expiry === 'late' ? LATEST : 0;
    const ends: number[] = [];
    const { schedulesTable, occurrencesTable } = this.#lane.context;
    for (const table of [schedulesTable, occurrencesTable]) {
      for (const item of await this.#scan(table)) {
        const end = (item[TTL_ATTRIBUTE] as number) * SECOND + grace;
        if (end > now) ends.push(end);
        else if (await this.#remove(table, item, now)) this.removed.push(item);
      }
    }
    this.#lookAt = Math.min(now + LOOK, ...ends);
  }

  async #scan(TableName: string): Promise<Item[]> {
    const items: Item[] = [];
    let start: Record<string, unknown> | undefined;
    do {
      const command = new ScanCommand({
        TableName,
        FilterExpression: 'attribute_type(#ttl, :number)',
        ExpressionAttributeNames: { '#ttl': TTL_ATTRIBUTE },
        ExpressionAttributeValues: { ':number': 'N' },
        ...(start && { ExclusiveStartKey: start }),
      });
      const answer = await this.#time.busy(() => this.#lane.observer.send(command));
      items.push(...(answer.Items ?? []));
      start = answer.LastEvaluatedKey;
    } while (start);
    return items;
  }

  /** False when it was given more time meanwhile, as DynamoDB looks again too. */
  async #remove(TableName: string, { pk, sk }: Item, now: EpochMs): Promise<boolean> {
    const command = new DeleteCommand({
      TableName,
      Key: { pk, sk },
      ConditionExpression: '#ttl <= :now',
      ExpressionAttributeNames: { '#ttl': TTL_ATTRIBUTE },
      ExpressionAttributeValues: { ':now': now / SECOND },
    });
    try {
      await this.#time.busy(() => this.#lane.observer.send(command));
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      throw error;
    }
  }
}
