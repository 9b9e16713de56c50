import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { created, openApi, type Reply, type TestApi } from '../api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openApi();
});
afterAll(() => api.close());

/** At noon UTC of 1 March it is 07:00 in New York, five hours behind; from 8 March on it is four. */
const NEW_YORK = { expression: '0 */2 * * *', timezone: 'America/New_York' };

type Ask = (path: string, moment: string) => Promise<Reply>;

/** Every request that names a moment, and the field that holds it. */
const REQUESTS: [what: string, field: string, ask: Ask][] = [
  ['a pause', 'until', (path, until) => api.post(`${path}/pause`, { until })],
  ['a skip', 'scheduledTime', (path, scheduledTime) => api.post(`${path}/skip`, { scheduledTime })],
  [
    'an unskip',
    'scheduledTime',
    async (path, scheduledTime) => {
      await api.post(`${path}/skip`, { scheduledTime });
      return api.post(`${path}/unskip`, { scheduledTime });
    },
  ],
  [
    'a move',
    'scheduledTime',
    (path, scheduledTime) => api.post(`${path}/move`, { scheduledTime, to: '2026-03-07T18:00:00Z' }),
  ],
  [
    'the end of a move',
    'to',
    (path, to) => api.post(`${path}/move`, { scheduledTime: '2026-03-07T20:00', to }),
  ],
  ['a replay', 'from', (path, from) => api.post(`${path}/replay`, { status: 'failed', from })],
  ['the end of a replay', 'to', (path, to) => api.post(`${path}/replay`, { status: 'failed', to })],
  ['a list', 'from', (path, from) => api.get(`${path}/occurrences?from=${encodeURIComponent(from)}`)],
  ['the end of a list', 'to', (path, to) => api.get(`${path}/occurrences?to=${encodeURIComponent(to)}`)],
  ['a plan', 'from', (_, from) => api.post('/plan', { ...NEW_YORK, from, count: 3 })],
  ['the end of a plan', 'to', (_, to) => api.post('/plan', { ...NEW_YORK, to })],
  ['a start', 'startAt', (path, startAt) => api.patch(path, { startAt })],
  ['an end', 'endAt', (path, endAt) => api.patch(path, { endAt })],
];

describe('a moment', () => {
  it.each(REQUESTS)('of %s (%s) may be local, and means the same as the instant', async (_, __, ask) => {
    const answers = [];
    for (const moment of [
      '2026-03-07T14:00:00',
      '2026-03-07T14:00',
      '2026-03-07 14:00:00.000',
      '2026-03-07T19:00:00Z',
    ]) {
      const { path } = await created(api, NEW_YORK);
      const { status, body } = await ask(path, moment);
      expect(status, JSON.stringify(body)).toBeLessThan(300);
      answers.push(without(body, path, moment));
    }
    const [instant] = answers.slice(-1);
    expect(answers).toEqual(answers.map(() => instant));
  });

  it.each(REQUESTS)(
    'of %s (%s) is refused where clocks skip it, with the time after it',
    async (_, field, ask) => {
      const { path } = await created(api, NEW_YORK);
      const { status, body } = await ask(path, '2026-03-08T02:30:00');
      expect([status, body.code, body.field]).toEqual([400, 'expression.local-time-missing', field]);
      expect(body.detail).toContain('2026-03-08T03:00:00');
    },
  );

  it.each(REQUESTS)('of %s (%s) is refused where it is none', async (_, field, ask) => {
    const { path } = await created(api, NEW_YORK);
    for (const moment of ['noon', '2026-02-30T09:00:00', '2026-03-07T24:00:00', '07/03/2026', '']) {
      const { status, body } = await ask(path, moment);
      expect([status, body.code, body.field], moment).toEqual([400, 'request.invalid', field]);
      expect(body.detail).toContain('2026-12-01T09:00:00Z');
    }
  });

  it('of a backfill may be local, a date too', async () => {
    const { path } = await created(api, NEW_YORK);
    const ask = (from: string, to: string) => api.post(`${path}/backfills`, { from, to, dryRun: true });
    const local = await ask('2026-02-27', '2026-02-28T14:00:00');
    expect(local.body).toMatchObject({ total: 20 });
    expect((await ask('2026-02-27T05:00:00Z', '2026-02-28T19:00:00Z')).body).toEqual(local.body);
    const missing = await ask('2025-03-09T02:30:00', '2025-03-10');
    expect([missing.status, missing.body.field]).toEqual([400, 'from']);
  });

  it('finer than a millisecond is the millisecond after it, so that nothing is early', async () => {
    const { path } = await created(api, NEW_YORK);
    const until = await api.post(`${path}/pause`, { until: '2026-03-07T14:00:00.1234' });
    expect(until.body.pausedUntil).toBe('2026-03-07T19:00:00.124Z');
    const last = await api.post(`${path}/pause`, { until: '9999-12-31T23:59:59.9999Z' });
    expect([last.status, last.body.code]).toEqual([400, 'expression.out-of-range']);
  });
});

/** What an answer says of the moment and not of the schedule, whose name and making differ. */
function without(body: Reply['body'], path: string, moment: string): unknown {
  const name = path.split('/').at(-1) as string;
  return JSON.parse(
    JSON.stringify(body).replaceAll(name, 'name').replaceAll(`"${moment}"`, '"moment"'),
    (key, value) => (key === 'idempotencyKey' || key === 'etag' ? undefined : value),
  );
}
