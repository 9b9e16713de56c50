import { DatabaseSync } from 'node:sqlite';

/**
 * Dynoxide numbers each stream record `MAX(CAST(sequence_number AS INTEGER)) + 1`, and without an index that
 * reads every record there is: writes fall from 2,000 to 130 a second and further. With it they stay flat.
 */
export function addStreamIndex(databasePath: string): void {
  const database = new DatabaseSync(databasePath, { timeout: 5000 });
  try {
    database.exec(
      `CREATE INDEX IF NOT EXISTS punctual_stream_sequence
         ON _stream_records (table_name, CAST(sequence_number AS INTEGER))`,
    );
  } finally {
    database.close();
  }
}
