import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { DescribeTableCommand, DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LOCAL_AWS } from '../../local/engine/aws.ts';
import { engineBinary } from '../../local/engine/binary.ts';
import { LOOPBACK, listen } from '../../local/engine/ports.ts';
import { createTables, startEngine, type TestEngine } from '../support/engine.ts';

describe('the embedded DynamoDB', () => {
  let engine: TestEngine;
  let client: DynamoDBClient;
  beforeAll(async () => {
    engine = await startEngine();
    client = new DynamoDBClient({ ...LOCAL_AWS, endpoint: engine.dynamodbEndpoint });
  });
  afterAll(() => engine.stop());

  it('has the tables of the contract, with KEYS_ONLY indexes and a stream on occurrences', async () => {
    const names = await engine.freshTables();
    const { Table } = await client.send(new DescribeTableCommand({ TableName: names.occurrencesTable }));
    expect(Table?.GlobalSecondaryIndexes?.map(({ IndexName }) => IndexName).sort()).toEqual([
      'attention',
      'open',
      'waiting',
    ]);
    expect(Table?.GlobalSecondaryIndexes?.map(({ Projection }) => Projection?.ProjectionType)).toEqual([
      'KEYS_ONLY',
      'KEYS_ONLY',
      'KEYS_ONLY',
    ]);
    expect(Table?.StreamSpecification?.StreamViewType).toBe('NEW_AND_OLD_IMAGES');
  });

  it('keeps what tables hold when they are created again', async () => {
    const names = await engine.freshTables();
    await client.send(
      new PutItemCommand({ TableName: names.schedulesTable, Item: { pk: { S: 'a' }, sk: { S: 'b' } } }),
    );
    await createTables(engine.dynamodbEndpoint, names);
    const again = new PutItemCommand({
      TableName: names.schedulesTable,
      Item: { pk: { S: 'a' }, sk: { S: 'b' } },
      ConditionExpression: 'attribute_not_exists(pk)',
    });
    await expect(client.send(again)).rejects.toThrow(/conditional/i);
  });

  it('ends with the process that started it, even when that is killed', async () => {
    const script = `import { startDynoxide } from './local/engine/dynoxide.ts';
      import { temporaryDirectory } from './local/engine/temporary.ts';
      const { path } = temporaryDirectory();
      console.log((await startDynoxide(path, { throwAway: true })).endpoint, path);`;
    const parent = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(createInterface(parent.stdout), 'line')) as [string];
    const [endpoint = '', directory = ''] = line.split(' ');
    expect((await fetch(endpoint)).status).toBeGreaterThan(0);
    parent.kill('SIGKILL');
    const reachable = () =>
      fetch(endpoint).then(
        () => true,
        () => false,
      );
    for (
      const deadline = Date.now() + 10_000;
      (await reachable()) || existsSync(directory);
      await sleep(20)
    ) {
      if (Date.now() > deadline) expect.fail('The engine outlived its parent.');
    }
  });
});

describe('what can stand in the way', () => {
  it('finds the binary, and says what to install where there is none', () => {
    const binary = engineBinary();
    expect(existsSync(binary)).toBe(true);
    expect(engineBinary(process.platform, 'made-up', dirname(binary))).toBe(binary);
    expect(() => engineBinary('plan9', 'mips', '')).toThrow(/not installed for plan9-mips: run "npm install/);
  });

  it('says that a port is taken', async () => {
    const first = createServer();
    await listen(first, 0);
    const { port } = first.address() as { port: number };
    await expect(listen(createServer(), port)).rejects.toThrow(`Port ${port} is taken`);
    first.close();
    expect(LOOPBACK).toBe('127.0.0.1');
  });
});
