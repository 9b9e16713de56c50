import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DynamoDBRecord } from 'aws-lambda';

export const FAILED_RECORDS_FILE = 'failed-records.jsonl';

/** What the stack's on-failure bucket is: stream records that were given up, one a line, with the reason. */
export function keepFailedIn(directory: string) {
  return async (records: readonly DynamoDBRecord[], reason: string): Promise<void> => {
    const at = new Date().toISOString();
    const lines = records.map((record) => `${JSON.stringify({ at, reason, record })}\n`);
    await appendFile(join(directory, FAILED_RECORDS_FILE), lines.join(''));
  };
}
