/** Remembers the answer to a request that carried an Idempotency-Key; kept for 24 hours. */
export interface IdempotencyRecord {
  readonly key: string;
  /** Hash of the request; the same key with another request is refused. */
  readonly requestHash: string;
  /** What the request made: a schedule id or an occurrence id. */
  readonly result: string;
}
