import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listen } from '../../local/engine/ports.ts';
import { createSchedule, deleteSchedule, ledgerOf } from '../support/engine-api.ts';
import { type Receiver, startReceiver } from '../support/engine-receiver.ts';
import { type EmbeddedRun, startEmbeddedRun } from '../support/engine-run.ts';

/** Whole runs on a machine that is busy with other tests. */
const PATIENCE = 60_000;

async function until<T>(
  look: () => Promise<T | undefined> | T | undefined,
  within = PATIENCE / 2,
): Promise<T> {
  for (const deadline = Date.now() + within; ; await sleep(50)) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > deadline) throw new Error('It did not come to pass in time.');
  }
}

describe('the embedded run', { timeout: PATIENCE }, () => {
  let receiver: Receiver;
  let directory: string;
  let run: EmbeddedRun;
  beforeAll(async () => {
    receiver = await startReceiver();
    directory = mkdtempSync(join(tmpdir(), 'punctual-test-'));
    run = await startEmbeddedRun(['--data', directory]);
  }, PATIENCE);
  afterAll(async () => {
    await run.kill();
    await receiver.close();
    rmSync(directory, { recursive: true, force: true });
  });

  it('fires a schedule made by HTTP, never early, and says so in a line each', async () => {
    await createSchedule(
      run.apiUrl,
      { group: 'e2e', name: 'each-second', expression: '* * * * * *' },
      receiver.url,
    );
    const arrivals = () => receiver.arrivals.filter(({ schedule }) => schedule === 'e2e/each-second');
    await until(() => (arrivals().length >= 3 ? true : undefined));
    await deleteSchedule(run.apiUrl, 'e2e', 'each-second');
    for (const { at, scheduledTime } of arrivals()) expect(at).toBeGreaterThanOrEqual(scheduledTime);
    expect(new Set(arrivals().map(({ key }) => key)).size).toBe(arrivals().length);
    await until(() => run.output.find((line) => /✓ succeeded.*e2e\/each-second/.test(line)));
    expect(run.output.some((line) => /▶ started.*e2e\/each-second.*after due/.test(line))).toBe(true);
  });

  it('retries what fails, under the same key and a growing fencing token', async () => {
    const due = Math.ceil(Date.now() / 1_000) * 1_000 + 1_000;
    const expression = `at(${new Date(due).toISOString().slice(0, 19)})`;
    receiver.answerWith((call) => (call.schedule === 'e2e/flaky' && call.attempt < 3 ? 500 : 200));
    const retry = { maxAttempts: 3, initialDelay: 'PT1S', jitter: 0 };
    await createSchedule(run.apiUrl, { group: 'e2e', name: 'flaky', expression, retry }, receiver.url);
    const [entry] = await until(async () => {
      const ledger = await ledgerOf(run.apiUrl, 'e2e', 'flaky');
      return ledger[0]?.status === 'succeeded' ? ledger : undefined;
    });
    expect(entry?.attempts.map(({ outcome }) => outcome)).toEqual(['failed', 'failed', 'succeeded']);
    const calls = receiver.arrivals.filter(({ schedule }) => schedule === 'e2e/flaky');
    expect(calls.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    expect(new Set(calls.map(({ key }) => key))).toEqual(new Set([entry?.idempotencyKey]));
    const tokens = calls.map(({ fencingToken }) => fencingToken);
    expect(tokens).toEqual([...new Set(tokens)].sort((a, b) => a - b));
  });

  it('lets no second run at its data', async () => {
    await expect(startEmbeddedRun(['--data', directory])).rejects.toThrow(
      /Another run \(process \d+\) uses the data in/,
    );
  });

  it('lets running work finish at Ctrl-C, ends with 0, and shows what it knows to the next run', async () => {
    const slow = Promise.withResolvers<void>();
    receiver.holdUntil((call) => (call.schedule === 'e2e/slow' ? slow.promise : undefined));
    const due = Math.ceil(Date.now() / 1_000) * 1_000 + 1_000;
    const expression = `at(${new Date(due).toISOString().slice(0, 19)})`;
    await createSchedule(run.apiUrl, { group: 'e2e', name: 'slow', expression }, receiver.url);
    await until(() => receiver.arrivals.find(({ schedule }) => schedule === 'e2e/slow'));
    const ended = run.interrupt();
    await until(() => run.output.find((line) => line.includes('Stopping')));
    slow.resolve();
    expect(await ended).toBe(0);
    expect(run.output.at(-1)).toMatch(/✓ succeeded.*e2e\/slow/);

    run = await startEmbeddedRun(['--data', directory]);
    expect(await ledgerOf(run.apiUrl, 'e2e', 'slow')).toMatchObject([{ status: 'succeeded', attempt: 1 }]);
  });
});

describe('a run that cannot be', () => {
  it('says in one sentence that its port is taken, and leaves nothing behind', async () => {
    const other = createServer();
    await listen(other, 0);
    const { port } = other.address() as { port: number };
    await expect(startEmbeddedRun(['--memory', '--port', String(port)])).rejects.toThrow(
      `Port ${port} is taken: stop what listens there, or choose another with --port.`,
    );
    other.close();
  });

  it('says where it cannot keep its data', async () => {
    await expect(startEmbeddedRun(['--data', '/dev/null/here'])).rejects.toThrow(
      /The data cannot be kept in \/dev\/null\/here: /,
    );
  });

  it('refuses options that make no sense', async () => {
    await expect(startEmbeddedRun(['--port', 'many'])).rejects.toThrow(/A port is a number/);
    expect(existsSync('many')).toBe(false);
    // Ignored, the second would leave somebody looking for data that was never kept.
    for (const [one, other] of [
      ['--memory', '--data'],
      ['--demo', '--data'],
      ['--demo', '--secrets'],
    ] as const)
      await expect(startEmbeddedRun([one, other, 'somewhere'])).rejects.toThrow(
        new RegExp(`option '${one}' cannot be used with option '${other} `),
      );
    expect(existsSync('somewhere')).toBe(false);
  });
});

describe('the demo', { timeout: PATIENCE }, () => {
  it('shows a call each five seconds and says what to try next', async () => {
    const demo = await startEmbeddedRun(['--demo']);
    const row = await until(() =>
      demo.output.find((line) => /^\d\d:\d\d:\d[05] .* ms +1 {2}[0-9a-f]{40}$/.test(line)),
    );
    expect(row).toBeDefined();
    expect(await demo.interrupt()).toBe(0);
    expect(demo.output.join('\n')).toMatch(/npm start/);
  });
});
