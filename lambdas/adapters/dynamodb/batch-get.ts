import { AsyncLocalStorage } from 'node:async_hooks';
import {
  BatchGetCommand,
  type BatchGetCommandInput,
  type BatchGetCommandOutput,
  type DynamoDBDocumentClient,
  GetCommand,
} from '@aws-sdk/lib-dynamodb';
import { timeLeft } from '../aws/deadline.ts';
import type { Item } from './item.ts';
import type { ItemKey } from './keys.ts';

/** Most keys in one BatchGetItem (AWS: API_BatchGetItem). */
export const BATCH_GET_KEYS = 100;
/** Requests under way at once; what is to be read meanwhile goes into the next, together. */
const MAX_UNDER_WAY = 2;

/** Reads items, consistently unless told otherwise. Order as asked; absent ones are left out. */
export async function batchGet(
  client: DynamoDBDocumentClient,
  table: string,
  keys: readonly ItemKey[],
  consistent = true,
): Promise<Item[]> {
  const reads = readsOf(client);
  const found = await Promise.all(keys.map((key) => reads.read(table, key, consistent)));
  return found.filter((item) => item !== undefined);
}

/** Reads an item consistently; undefined when it is absent. */
export function getItem(
  client: DynamoDBDocumentClient,
  table: string,
  key: ItemKey,
): Promise<Item | undefined> {
  return readsOf(client).read(table, key, true);
}

const readsOfClients = new WeakMap<DynamoDBDocumentClient, Reads>();

function readsOf(client: DynamoDBDocumentClient): Reads {
  const known = readsOfClients.get(client);
  if (known) return known;
  const made = new Reads(client);
  readsOfClients.set(client, made);
  return made;
}

interface Wanted {
  readonly table: string;
  readonly key: ItemKey;
  readonly consistent: boolean;
  readonly answer: PromiseWithResolvers<Item | undefined>;
  /** Runs within the invocation that asked, and with its deadline. */
  readonly inContext: ReturnType<typeof AsyncLocalStorage.snapshot>;
  readonly leftMs: number;
}

/**
 * Reads of one client that are asked for at the same time, put together: half of what a worker's burst costs in CPU is the
 * overhead of single requests, and one of ten items costs hardly more than one of one. Nobody waits for company: a read goes
 * at once as long as few requests are under way.
 */
class Reads {
  readonly #client: DynamoDBDocumentClient;
  readonly #wanted = new Map<string, Wanted>();
  #underWay = 0;
  #isPlanned = false;

  constructor(client: DynamoDBDocumentClient) {
    this.#client = client;
  }

  read(table: string, { pk, sk }: ItemKey, consistent: boolean): Promise<Item | undefined> {
    const id = `${table} ${consistent} ${pk} ${sk}`;
    // Not sent yet, so that its answer is younger than this request, too.
    const same = this.#wanted.get(id);
    if (same) return same.answer.promise;
    const answer = Promise.withResolvers<Item | undefined>();
    const inContext = AsyncLocalStorage.snapshot();
    const leftMs = timeLeft(0);
    this.#wanted.set(id, { table, key: { pk, sk }, consistent, answer, inContext, leftMs });
    this.#plan();
    return answer.promise;
  }

  /** Whatever is asked for in one turn goes together. */
  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    queueMicrotask(() => {
      this.#isPlanned = false;
      while (this.#wanted.size > 0 && this.#underWay < MAX_UNDER_WAY) void this.#sendNext();
    });
  }

  async #sendNext(): Promise<void> {
    const batch: Wanted[] = [];
    const [first] = this.#wanted.values();
    for (const [id, wanted] of this.#wanted) {
      if (batch.length === BATCH_GET_KEYS) break;
      if (wanted.consistent !== first?.consistent) continue;
      batch.push(wanted);
      this.#wanted.delete(id);
    }
    this.#underWay += 1;
    // Of several invocations of one process the one that has longest may wait longest.
    const [last] = batch.toSorted((a, b) => b.leftMs - a.leftMs);
    try {
      await last?.inContext(() => (batch.length === 1 ? this.#getOne(last) : this.#getMany(batch)));
    } catch (error) {
      for (const { answer } of batch) answer.reject(error);
    } finally {
      this.#underWay -= 1;
      this.#plan();
    }
  }

  async #getOne({ table, key, consistent, answer }: Wanted): Promise<void> {
    const { Item } = await this.#client.send(
      new GetCommand({ TableName: table, Key: key, ConsistentRead: consistent }),
    );
    answer.resolve(Item);
  }

  async #getMany(batch: readonly Wanted[]): Promise<void> {
    const tables = Object.groupBy(batch, ({ table }) => table);
    let requests: BatchGetCommandInput['RequestItems'] = Object.fromEntries(
      Object.entries(tables).map(([table, some = []]) => [
        table,
        { Keys: some.map(({ key }) => ({ ...key })), ConsistentRead: some.every((one) => one.consistent) },
      ]),
    );
    const found = new Map<string, Item>();
    // Each round answers at least one key or throws as throttled, so this ends.
    while (requests && Object.keys(requests).length > 0) {
      const answer: BatchGetCommandOutput = await this.#client.send(
        new BatchGetCommand({ RequestItems: requests }),
      );
      for (const [table, items] of Object.entries(answer.Responses ?? {}))
        for (const item of items) found.set(`${table} ${item.pk} ${item.sk}`, item);
      requests = answer.UnprocessedKeys;
    }
    for (const { table, key, answer } of batch) answer.resolve(found.get(`${table} ${key.pk} ${key.sk}`));
  }
}
