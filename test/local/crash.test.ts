import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pMap from 'p-map';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSchedule, ledgerOf } from '../support/engine-api.ts';
import { type Receiver, startReceiver } from '../support/engine-receiver.ts';
import { type EmbeddedRun, startEmbeddedRun } from '../support/engine-run.ts';

const JOBS = 200;
/** A lease runs out after 30 s, a sweep looks every 5 s, a retry follows: with room for a busy machine. */
const RECOVERY = 120_000;

describe('kill -9 of the whole run while 200 occurrences are being run', { timeout: 2 * RECOVERY }, () => {
  let receiver: Receiver;
  let directory: string;
  let run: EmbeddedRun | undefined;
  beforeAll(async () => {
    receiver = await startReceiver();
    directory = mkdtempSync(join(tmpdir(), 'punctual-crash-'));
  });
  afterAll(async () => {
    await run?.kill();
    await receiver.close();
    rmSync(directory, { recursive: true, force: true });
  });

  it('loses none: after the next start each one ends succeeded, and no call is unexplained', async () => {
    run = await startEmbeddedRun(['--data', directory]);
    const { apiUrl } = run;
    const due = Math.ceil((Date.now() + 20_000) / 1_000) * 1_000;
    const expression = `at(${new Date(due).toISOString().slice(0, 19)})`;
    const names = Array.from({ length: JOBS }, (_, index) => `job-${index}`);
    const retry = { maxAttempts: 3, initialDelay: 'PT1S', jitter: 0 };
    await pMap(
      names,
      (name) => createSchedule(apiUrl, { group: 'crash', name, expression, retry }, receiver.url),
      {
        concurrency: 8,
      },
    );
    expect(await receiver.until(() => receiver.arrivals.length >= JOBS / 4, due + RECOVERY)).toBe(true);
    await run.kill();
    const before = receiver.arrivals.length;
    expect(before).toBeLessThan(JOBS);

    run = await startEmbeddedRun(['--data', directory]);
    const revived = run.apiUrl;
    const ledgers = async () =>
      (await pMap(names, (name) => ledgerOf(revived, 'crash', name), { concurrency: 8 })).flat();
    const started = () => new Set(receiver.arrivals.map(({ key }) => key)).size === JOBS;
    expect(await receiver.until(started, Date.now() + RECOVERY)).toBe(true);
    const settled = async () => (await ledgers()).every(({ status }) => status === 'succeeded');
    expect(await receiver.until(settled, Date.now() + RECOVERY)).toBe(true);

    const ledger = await ledgers();
    expect(ledger).toHaveLength(JOBS);
    const attemptsOf = new Map(
      ledger.map(({ idempotencyKey, attempts }) => [idempotencyKey, attempts.length]),
    );
    for (const { key, attempt } of receiver.arrivals)
      expect(attempt).toBeLessThanOrEqual(attemptsOf.get(key) ?? 0);
    // Each call is another attempt: none was made twice.
    expect(new Set(receiver.arrivals.map(({ key, attempt }) => `${key} ${attempt}`)).size).toBe(
      receiver.arrivals.length,
    );
  });
});
