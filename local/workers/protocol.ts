export interface ThreadData {
  readonly sqsEndpoint: string;
  readonly queueUrl: string;
  readonly queueArn: string;
  /** Shared by all threads: its one element counts invocations under way. */
  readonly running: Int32Array<SharedArrayBuffer>;
}

/** To a thread there is one message, whatever it says: take no more work and finish what runs. */
export type FromThread =
  | { readonly kind: 'ready' }
  | { readonly kind: 'drained' }
  | { readonly kind: 'error'; readonly message: string };
