import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOUR } from '../../../../lambdas/core/time.ts';
import { NOON } from '../../../support/fixtures.ts';
import { created, freshNames, openApi, scheduleBody, type TestApi } from '../api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openApi();
});
afterAll(() => api.close());

const lambda = { kind: 'lambda', functionArn: 'arn:aws:lambda:eu-west-1:123456789012:function:report' };

describe('how occurrences run, end and are kept', () => {
  const chosen = {
    overlap: 'buffer-one',
    concurrency: { key: 'database', limit: 3 },
    completion: 'callback',
    heartbeatTimeout: 'PT5M',
    retention: 'P3650D',
    pauseAfterFailures: 5,
    deleteAfterCompletion: true,
  };

  it('is kept as it was chosen, and is an edit when it changes', async () => {
    const { path, reply } = await created(api, chosen);
    expect(reply.body).toMatchObject(chosen);
    expect((await api.get(path)).body).toMatchObject(chosen);
    expect((await api.put(path, scheduleBody(chosen))).body.revision).toBe(1);
    const patched = await api.patch(path, { overlap: null, concurrency: null, retention: null });
    expect(patched.body).toMatchObject({ revision: 2, overlap: 'skip', completion: 'callback' });
    expect(patched.body).not.toHaveProperty('concurrency');
    expect(patched.body).not.toHaveProperty('retention');
  });

  it('lets a one-shot overlap unless it says otherwise, and follows the expression where it says nothing', async () => {
    const { path, reply } = await created(api, { expression: 'at(2026-12-01T09:00:00)' });
    expect(reply.body.overlap).toBe('allow');
    expect((await api.patch(path, { expression: '0 9 * * *' })).body.overlap).toBe('skip');
    expect((await api.patch(path, { expression: 'at(2026-12-01T09:00:00)' })).body.overlap).toBe('allow');
    const chosen = await created(api, { expression: 'at(2026-12-01T09:00:00)', overlap: 'skip' });
    expect(chosen.reply.body.overlap).toBe('skip');
    expect((await api.patch(chosen.path, { description: 'as before' })).body.overlap).toBe('skip');
  });

  it('goes to the head as far as planning needs it', async () => {
    const { id } = await created(api, { retention: 'P90D', deleteAfterCompletion: true });
    const head = await api.stores.schedules.readHead(id);
    expect(head?.policy).toMatchObject({ retentionDays: 90, deleteAfterCompletion: true });
  });

  it('reaches every occurrence: planned, asked for, or recorded', async () => {
    const { id, path } = await created(api, { expression: '* * * * *', retention: 'P2D' });
    await api.post(`${path}/trigger`);
    api.clock.advance(2 * HOUR);
    await api.patch(`${path}?pending=cancel`, { input: 1 });
    api.clock.set(NOON);
    const { items } = await api.stores.occurrences.listOccurrences({ schedule: id, limit: 100 });
    expect(new Set(items.map(({ kind, status }) => `${kind} ${status}`))).toEqual(
      new Set(['manual pending', 'scheduled cancelled', 'range coalesced', 'scheduled pending']),
    );
    expect(items.filter(({ retentionDays }) => retentionDays !== 2)).toEqual([]);
  });

  it.each([
    [{ overlap: 'queue' }, 'overlap'],
    [{ concurrency: { key: 'a b', limit: 1 } }, 'concurrency.key'],
    [{ concurrency: { key: 'a', limit: 0 } }, 'concurrency.limit'],
    [{ concurrency: { key: 'a', limit: 1_001 } }, 'concurrency.limit'],
    [{ concurrency: { key: 'a' } }, 'concurrency.limit'],
    [{ completion: 'later' }, 'completion'],
    [{ heartbeatTimeout: 'P8D' }, 'heartbeatTimeout'],
    [{ retention: 'P0D' }, 'retention'],
    [{ retention: 'P3651D' }, 'retention'],
    [{ retention: 'PT24H' }, 'retention'],
    [{ retention: 'P1W' }, 'retention'],
    [{ pauseAfterFailures: 0 }, 'pauseAfterFailures'],
    [{ pauseAfterFailures: 51 }, 'pauseAfterFailures'],
    [{ deleteAfterCompletion: 'yes' }, 'deleteAfterCompletion'],
  ])('is refused as %j, naming the field', async (changes, field) => {
    const reply = await api.put(freshNames().path, scheduleBody(changes));
    expect([reply.status, reply.body.field]).toEqual([400, field]);
  });

  it('has a heartbeat only where somebody can send one', async () => {
    const heartbeatTimeout = 'PT5M';
    const put = (changes: object) =>
      api.put(freshNames().path, scheduleBody({ heartbeatTimeout, ...changes }));
    expect(await put({ target: lambda })).toMatchObject({ status: 400, body: { field: 'heartbeatTimeout' } });
    expect((await put({ target: lambda, completion: 'callback' })).status).toBe(201);
    expect((await put({ target: { kind: 'pull', queue: 'q' } })).status).toBe(201);
    expect((await put({})).status).toBe(201);
  });
});

describe('placeholders of an input', () => {
  it('are taken when they stand for something, and refused when they do not', async () => {
    const input = { at: '{{punctual.scheduledTime}}', deep: ['{{punctual.attempt}} of {{other.thing}}'] };
    expect((await created(api, { input })).reply.body.input).toEqual(input);
    for (const bad of ['{{punctual.nextTime}}', ['x {{punctual.}}'], { a: { b: '{{punctual.attempts}}' } }]) {
      const reply = await api.put(freshNames().path, scheduleBody({ input: bad }));
      expect([reply.status, reply.body.field], JSON.stringify(bad)).toEqual([400, 'input']);
      expect(reply.body.detail).toContain('scheduledTime');
    }
  });

  it('are reckoned with in the size of an input, as long as they can become', async () => {
    const put = (times: number) =>
      api.put(freshNames().path, scheduleBody({ input: '{{punctual.id}}'.repeat(times) }));
    expect((await put(500)).status).toBe(201);
    const refused = await put(8_000);
    expect(refused).toMatchObject({ status: 400, body: { field: 'input' } });
    expect(refused.body.detail).toContain('once its placeholders are filled in; this may have 1920002');
  });

  it('are taken in the URL and the headers of a target, and refused where nothing fills them in', async () => {
    const http = (changes: object) => ({ kind: 'http', url: 'https://example.com/', ...changes });
    const put = (target: object) => api.put(freshNames().path, scheduleBody({ target }));
    const url = 'https://example.com/runs/{{ punctual.id }}?at={{punctual.scheduledTime}}';
    expect((await put(http({ url, headers: { 'x-run': '{{punctual.id}}' } }))).status).toBe(201);
    const queueArn = 'arn:aws:sqs:us-east-1:123456789012:q.fifo';
    const secret = 'arn:aws:ssm:eu-west-1:123456789012:parameter/x';
    for (const [target, field] of [
      [http({ url: 'https://example.com/{{punctual.runId}}' }), 'target.url'],
      [http({ url: 'https://{{punctual.schedule}}.example.com/' }), 'target.url'],
      [http({ url: `https://example.com/${'{{punctual.id}}'.repeat(40)}` }), 'target.url'],
      [http({ headers: { 'x-run': '{{punctual.runId}}' } }), 'target.headers.x-run'],
      [http({ headers: { 'x-run': '{{punctual.id}}'.repeat(30) } }), 'target.headers'],
      [http({ headers: { 'x-run': { secret, prefix: '{{punctual.id}}' } } }), 'target'],
      [{ kind: 'sqs', queueArn, messageGroupId: '{{punctual.schedule}}' }, 'target'],
    ] as const) {
      const { status, body } = await put(target);
      expect([status, body.field], JSON.stringify(target)).toEqual([400, field]);
    }
  });
});
