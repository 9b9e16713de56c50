import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EmbeddedRun, startEmbeddedRun } from '../support/engine-run.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { PARAMETER_ARN, secretsFile, TOKEN_ARN } from '../support/secrets.ts';

const TOKEN = 'hunter2-and-a-half';
const SIGNING = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const PATIENCE = 60_000;

describe('secrets in a whole run that logs all it can', { timeout: PATIENCE }, () => {
  let file: ReturnType<typeof secretsFile>;
  let directory: string;
  let receiver: Receiver;
  let run: EmbeddedRun;
  const level = process.env.POWERTOOLS_LOG_LEVEL;
  beforeAll(async () => {
    process.env.POWERTOOLS_LOG_LEVEL = 'DEBUG';
    file = secretsFile({ [TOKEN_ARN]: { token: TOKEN }, [PARAMETER_ARN]: SIGNING });
    directory = mkdtempSync(join(tmpdir(), 'punctual-test-'));
    // It fails once with all that it was sent, and then takes the call.
    receiver = await startReceiver(({ headers }, response) =>
      headers['punctual-attempt'] === '1'
        ? response.writeHead(500).end(JSON.stringify(headers))
        : response.writeHead(200).end(JSON.stringify(headers)),
    );
    run = await startEmbeddedRun(['--data', directory, '--secrets', file.path]);
  }, PATIENCE);
  afterAll(async () => {
    if (level === undefined) delete process.env.POWERTOOLS_LOG_LEVEL;
    else process.env.POWERTOOLS_LOG_LEVEL = level;
    await run.kill();
    await receiver.close();
    file.remove();
    rmSync(directory, { recursive: true, force: true });
  });

  it('reach the target, and neither answer, log, ledger nor any file', async () => {
    const answers: string[] = [];
    const ask = async (path: string, init?: RequestInit) => {
      const response = await fetch(`${run.apiUrl}${path}`, init);
      answers.push(await response.text());
      return response.status;
    };
    const send = (method: string, path: string, body: unknown) =>
      ask(path, { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
    const schedule = {
      expression: '0 9 1 1 *',
      target: {
        kind: 'http',
        url: receiver.url,
        headers: { authorization: { secret: TOKEN_ARN, field: 'token', prefix: 'Bearer ' } },
        signing: { secrets: [{ secret: PARAMETER_ARN }] },
      },
      retry: { initialDelay: 'PT0S' },
    };
    expect(await send('PUT', '/schedules/secret/one', schedule)).toBe(201);
    expect(await send('POST', '/schedules/secret/one/trigger', {})).toBe(202);
    await receiver.count(2);
    expect(receiver.received[1]?.headers).toMatchObject({
      authorization: `Bearer ${TOKEN}`,
      'webhook-signature': expect.stringMatching(/^v1,/),
    });
    expect(
      await send('PATCH', '/schedules/secret/one', { target: { headers: { authorization: null } } }),
    ).toBe(200);
    for (const path of ['', '/occurrences', '/upcoming'])
      expect(await ask(`/schedules/secret/one${path}`)).toBe(200);
    await run.interrupt();

    const files = globSync('**/*', { cwd: directory, withFileTypes: true }).filter((one) => one.isFile());
    const kept = files.map((one) => readFileSync(join(one.parentPath, one.name), 'latin1'));
    // What is looked through is what there is: the ARN is in all three, the attempt's end in the ledger.
    const [said, logged, stored] = [answers.join('\n'), run.output.join('\n'), kept.join('\n')];
    expect(said).toContain('repeats a secret; not kept');
    expect(said).toContain(TOKEN_ARN);
    expect(stored).toContain(TOKEN_ARN);
    expect(logged).toContain('repeats a secret; not kept');
    for (const text of [said, logged, stored]) {
      for (const secret of [TOKEN, SIGNING, SIGNING.slice(6)]) expect(text.includes(secret)).toBe(false);
    }
  });
});
