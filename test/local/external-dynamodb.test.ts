import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { LOCAL_AWS } from '../../local/engine/aws.ts';
import { connectTo } from '../../local/engine/external.ts';
import { freePort } from '../../local/engine/ports.ts';
import { LOCAL } from '../../local/settings.ts';
import { startEngine, type TestEngine } from '../support/engine.ts';
import { createSchedule } from '../support/engine-api.ts';
import { type Receiver, startReceiver } from '../support/engine-receiver.ts';
import { startEmbeddedRun } from '../support/engine-run.ts';

/** A whole run on a machine that is busy with other tests. */
const PATIENCE = 60_000;

describe('a DynamoDB endpoint that somebody else started', { timeout: PATIENCE }, () => {
  let engine: TestEngine;
  let receiver: Receiver;
  beforeAll(async () => {
    [engine, receiver] = await Promise.all([startEngine(), startReceiver()]);
  });
  afterAll(() => Promise.all([engine.stop(), receiver.close()]));

  it('holds the tables of a local run, which starts what is due from there', async () => {
    const run = await startEmbeddedRun(['--memory', '--dynamodb', engine.dynamodbEndpoint]);
    try {
      await createSchedule(run.apiUrl, { group: 'e', name: 'each', expression: '* * * * * *' }, receiver.url);
      const arrived = () => receiver.arrivals.some(({ schedule }) => schedule === 'e/each');
      await vi.waitFor(() => expect(arrived()).toBe(true), { timeout: PATIENCE / 2, interval: 50 });
      const client = new DynamoDBClient({ ...LOCAL_AWS, endpoint: engine.dynamodbEndpoint });
      const { TableNames } = await client.send(new ListTablesCommand({}));
      expect(TableNames).toEqual(expect.arrayContaining(Object.values(LOCAL.tables)));
      expect(run.output.join('\n')).toContain(`its data is in the DynamoDB at ${engine.dynamodbEndpoint}`);
    } finally {
      await run.kill();
    }
  });

  it('is told by one plain sentence that nothing answers, that it is no URL, or that it is AWS', async () => {
    const nobody = `http://127.0.0.1:${await freePort()}`;
    await expect(connectTo(nobody)).rejects.toThrow(
      `No DynamoDB answers at ${nobody} (ECONNREFUSED): start it, or correct the URL given with --dynamodb.`,
    );
    await expect(connectTo('localhost:8000')).rejects.toThrow(
      'such as http://127.0.0.1:8000, and not "localhost:8000"',
    );
    await expect(connectTo('https://dynamodb.eu-west-1.amazonaws.com')).rejects.toThrow('is AWS itself');
  });
});
