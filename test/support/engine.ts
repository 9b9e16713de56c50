import { randomUUID } from 'node:crypto';
import { LOCAL_AWS_ENV } from '../../local/engine/aws.ts';
import { startDynoxide } from '../../local/engine/dynoxide.ts';
import { createTables, type TableNames } from '../../local/engine/tables.ts';
import { temporaryDirectory } from '../../local/engine/temporary.ts';

export { createTables, type TableNames } from '../../local/engine/tables.ts';

export interface TestEngine {
  readonly dynamodbEndpoint: string;
  /** The engine's own file, for tests that look behind the API. */
  readonly databasePath: string;
  /** The SDK's standard variables, for code that reads them from the environment. */
  readonly env: Readonly<Record<string, string>>;
  /** A new pair of tables on this engine, with names that no other test uses. */
  freshTables(): Promise<TableNames>;
  stop(): Promise<void>;
}

/**
 * DynamoDB's stand-in with an empty database, in memory where the system offers that. One a test file
 * (`beforeAll`) is enough: each test takes `freshTables()`.
 */
export async function startEngine(): Promise<TestEngine> {
  const directory = temporaryDirectory('punctual-test-');
  const engine = await startDynoxide(directory.path, { throwAway: true });
  return {
    dynamodbEndpoint: engine.endpoint,
    databasePath: engine.databasePath,
    env: { ...LOCAL_AWS_ENV, AWS_ENDPOINT_URL_DYNAMODB: engine.endpoint },
    async freshTables() {
      const suffix = randomUUID().slice(0, 8);
      const names = { schedulesTable: `schedules-${suffix}`, occurrencesTable: `occurrences-${suffix}` };
      await createTables(engine.endpoint, names);
      return names;
    },
    async stop() {
      await engine.stop();
      directory.remove();
    },
  };
}
