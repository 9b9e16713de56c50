/** A DynamoDB that the embedded run uses, whoever started it. */
export interface DynamoDbEngine {
  readonly endpoint: string;
  /** Resolves, with the reason, if it ends without having been asked to. */
  readonly died: Promise<string>;
  stop(): Promise<void>;
}
