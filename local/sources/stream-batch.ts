import type { DynamoDBRecord } from 'aws-lambda';

export interface DeliveryPolicy {
  /** Tries of one batch before its records are given up. */
  readonly maxAttempts: number;
  /** Before the second try; doubles from one to the next, up to `maxPauseMs`. */
  readonly pauseMs: number;
  readonly maxPauseMs: number;
}

export interface DeliveryDeps {
  readonly invoke: (event: { Records: readonly DynamoDBRecord[] }) => Promise<unknown>;
  readonly policy: DeliveryPolicy;
  readonly pause: (ms: number) => Promise<void>;
  /** Everything up to and with this record is done with. */
  readonly onDone: (last: DynamoDBRecord) => Promise<void>;
  /** Given up: kept elsewhere, so that what comes behind can go on. */
  readonly onGivenUp: (records: readonly DynamoDBRecord[], reason: string) => Promise<void>;
  readonly stopped: () => boolean;
}

/**
 * Delivers a batch as a stream event source mapping does: what stands before the lowest reported failure is
 * done; a batch whose invocation fails is cut in two, which ends with the one record at fault; a batch that
 * has used up its tries is given up. Order is kept throughout.
 */
export async function deliver(
  deps: DeliveryDeps,
  batch: readonly DynamoDBRecord[],
  attempt = 1,
): Promise<void> {
  let records = batch;
  let tries = attempt;
  while (records.length > 0 && !deps.stopped()) {
    const outcome = await invokeOnce(deps, records);
    const done = records.slice(0, outcome.done);
    await reportDone(deps, done);
    records = records.slice(outcome.done);
    if (records.length === 0) return;
    // Progress starts the count again: these records have not been at fault yet.
    tries = done.length > 0 ? 2 : tries + 1;
    if (tries > deps.policy.maxAttempts) {
      await deps.onGivenUp(records, outcome.reason);
      return reportDone(deps, records);
    }
    await deps.pause(Math.min(deps.policy.pauseMs * 2 ** (tries - 2), deps.policy.maxPauseMs));
    if (outcome.thrown && records.length > 1) {
      const middle = Math.ceil(records.length / 2);
      // Cutting in two does not use up tries: each part has its own from here on.
      await deliver(deps, records.slice(0, middle));
      return deliver(deps, records.slice(middle));
    }
  }
}

async function reportDone(deps: DeliveryDeps, done: readonly DynamoDBRecord[]): Promise<void> {
  const last = done.at(-1);
  if (last) await deps.onDone(last);
}

interface Outcome {
  /** How many records from the front are done with. */
  readonly done: number;
  readonly thrown: boolean;
  readonly reason: string;
}

async function invokeOnce(deps: DeliveryDeps, records: readonly DynamoDBRecord[]): Promise<Outcome> {
  try {
    const done = firstFailure(await deps.invoke({ Records: records }), records);
    return { done, thrown: false, reason: 'reported as failed by the function' };
  } catch (error) {
    return {
      done: 0,
      thrown: true,
      reason: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
    };
  }
}

/** Index of the lowest failed record; all of them when none failed; 0 when the answer makes no sense. */
function firstFailure(answer: unknown, records: readonly DynamoDBRecord[]): number {
  const failures = (
    answer as { batchItemFailures?: { itemIdentifier?: unknown }[] | null } | null | undefined
  )?.batchItemFailures;
  if (!failures || failures.length === 0) return records.length;
  const indexes = failures.map(({ itemIdentifier }) =>
    records.findIndex((record) => record.dynamodb?.SequenceNumber === itemIdentifier),
  );
  // An identifier that is not of this batch, or none: Lambda then takes the whole batch as failed.
  return indexes.includes(-1) ? 0 : Math.min(...indexes);
}
