import { TARGET_LIMITS } from '../../core/targets/limits.ts';

/** What the API accepts, with the reason where the number is not arbitrary. */
export const API_LIMITS = {
  /** Bytes of a whole request body; room for the largest input and everything around it. */
  bodyBytes: 256 * 1024,
  /** Bytes of `input` as JSON. A revision is one DynamoDB item (400 KB), a Lambda event may hold 256 KB. */
  inputBytes: 128 * 1024,
  /** Levels of a body. DynamoDB nests 32 levels, and a definition puts some of its own around `input`. */
  bodyDepth: 24,
  ...TARGET_LIMITS,
  tags: 50,
  tagKeyLength: 128,
  tagValueLength: 256,
  descriptionLength: 1000,
  /** The head holds it and should stay under 1 KB, which every advance pays for. */
  pauseNoteLength: 200,
  attempts: 100,
  /** A plan creates at most so many occurrences at once (lambdas/core/planning/planner.ts). */
  catchUpRuns: 90,
  pageSize: 100,
  /**
   * Bytes of the items of an answer. Lambda answers at most 6 MB, in which the body is a text once more: each quote of
   * it is two characters then.
   */
  pageBytes: 1_000_000,
  /** Characters of a text that says how an attempt went; the attempt log keeps the start of it. */
  detailLength: 1000,
  /** Occurrences of one claim; the function handles them side by side. */
  pullMax: 10,
  /** Seconds a claim may wait for work; the function answers within 29. */
  pullWait: 20,
  /** Occurrences replayed by one request; the cursor goes on. */
  replayMax: 500,
  replayPerMinute: 6000,
  /** How far ahead a coming time may be skipped or moved: the record is kept until the planner comes by. */
  aheadDays: 366,
  upcoming: 100,
  planFires: 1000,
  /** The worker is a Lambda function: 15 minutes, less what it needs to claim and settle. */
  timeout: { min: 'PT1S', max: 'PT14M' },
  /** Work outside has no function that could run out. */
  heartbeat: { min: 'PT1S', max: 'P7D' },
  /** Holders of a slot are kept in one item, which may have 400 KB. */
  concurrency: 1_000,
  /** Quotas of a group: far above what one table and one queue are made for. */
  groupSchedules: 1_000_000,
  groupFiresPerMinute: 1_000_000,
  groupInputBytes: 2 ** 40,
  retentionDays: { min: 1, max: 3650 },
  /** Texts of one recurrence; the engine checks each, in milliseconds, whatever it says (lambdas/core/recurrence). */
  expressions: 10,
  exclusions: 100,
  calendars: 10,
  calendarDates: 1_000,
  /** A run a second for thirty years. */
  maxRuns: 1_000_000_000,
  /** Looked at once a minute; a job that runs once a year has a month to spare. */
  expectSuccessWithin: { min: 'PT1M', max: 'P400D' },
  /** So many failures in a row are looked up in the ledger at once. */
  failures: 50,
} as const;
