import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createPlanningStore, createScheduleStore } from '../../../../lambdas/adapters/dynamodb/index.ts';
import { epochMs, HOUR, MINUTE, SECOND, toIso } from '../../../../lambdas/core/time.ts';
import { at, NOON } from '../../../support/fixtures.ts';
import { created, freshNames, ledger, openApi, scheduleBody, type TestApi, tickAt } from '../api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openApi();
});
beforeEach(() => api.clock.set(NOON));
afterAll(() => api.close());

async function upcomingTimes(path: string, count = 3): Promise<string[]> {
  const { body } = await api.get(`${path}/upcoming?count=${count}`);
  return body.items.map(({ scheduledTime }: { scheduledTime: string }) => scheduledTime);
}

async function pendingTimes(path: string): Promise<string[]> {
  const all = await ledger(api, path);
  return all.filter(({ status }) => status === 'pending').map(({ scheduledTime }) => scheduledTime);
}

describe('the fields that say when', () => {
  it('come back as they were given, with a sentence that says them', async () => {
    const times = {
      expression: ['0 9 * * MON-FRI', 'at(2026-03-07T10:00:00)'],
      timezone: 'Europe/Berlin',
      exclude: ['2026-03-03', '0 9 6 3 *'],
      onExcluded: 'next-business-day',
      startAt: '2026-03-02T00:00:00',
      endAt: '2026-12-31T23:59:59',
      window: 'PT10M',
      maxRuns: 20,
    };
    const { reply, path } = await created(api, times);
    expect(reply.body).toMatchObject({ ...times, remainingRuns: 20 });
    expect(reply.body.recurrence).toContain('09:00');
    expect(await upcomingTimes(path, 5)).toEqual([
      '2026-03-02T08:00:00.000Z',
      '2026-03-04T08:00:00.000Z',
      '2026-03-05T08:00:00.000Z',
      '2026-03-07T09:00:00.000Z',
      '2026-03-09T08:00:00.000Z',
    ]);
  });

  it('keep dayRule and milliseconds on the way to what is planned', async () => {
    const both = await created(api, { expression: '0 9 13 * FRI', dayRule: 'and' });
    expect(both.reply.body.dayRule).toBe('and');
    expect((await upcomingTimes(both.path, 1))[0]).toBe('2026-03-13T09:00:00.000Z');
    const once = await created(api, { expression: 'at(2026-03-13T09:00:00.900Z)' });
    expect(await upcomingTimes(once.path)).toEqual(['2026-03-13T09:00:00.900Z']);
  });

  it('that choose nothing are no edit', async () => {
    const { path } = await created(api);
    const same = scheduleBody({ exclude: [], calendars: [], onExcluded: 'skip', dst: {}, dayRule: 'or' });
    expect((await api.put(path, same)).body).toMatchObject({ revision: 1, version: 1 });
  });

  it.each([
    [{ expression: [] }, 'request.invalid', 'expression'],
    [{ expression: ['0 9 * * *', '0 0 31 2 *'] }, 'expression.never-fires', 'expression[1]'],
    [{ exclude: ['2026-12-25', 'christmas'] }, 'expression.invalid', 'exclude[1]'],
    [{ exclude: ['2026-12-25', 5] }, 'request.invalid', 'exclude[1]'],
    [{ exclude: Array(101).fill('2026-12-25') }, 'request.invalid', 'exclude'],
    [{ calendars: ['no-such'] }, 'calendar.not-found', 'calendars[0]'],
    [{ calendars: ['a b'] }, 'request.invalid', 'calendars[0]'],
    [{ onExcluded: 'run' }, 'request.invalid', 'onExcluded'],
    [{ dayRule: 'xor' }, 'request.invalid', 'dayRule'],
    [{ timezone: 'BST' }, 'timezone.unknown', 'timezone'],
    [{ startAt: 'soon' }, 'request.invalid', 'startAt'],
    [{ startAt: '2027-01-01T00:00:00', endAt: '2026-12-01T00:00:00' }, 'expression.never-fires', 'endAt'],
    [{ endAt: '2026-02-01T00:00:00' }, 'expression.never-fires', 'expression'],
    [{ window: 'P2D' }, 'request.invalid', 'window'],
    [{ maxRuns: 0 }, 'request.invalid', 'maxRuns'],
    [{ timezone: 'Mars/Olympus' }, 'timezone.unknown', 'timezone'],
    [{ exclude: ['* * * * *'] }, 'expression.never-fires', 'exclude'],
  ])('%j is refused with the code and the field', async (changes, code, field) => {
    const { group, name, path } = freshNames();
    const reply = await api.post('/schedules', scheduleBody({ group, name, ...changes }));
    expect([reply.status, reply.body.code, reply.body.field]).toEqual([400, code, field]);
    expect((await api.get(path)).status).toBe(404);
    const { target: _, ...plan } = scheduleBody(changes);
    if (code === 'expression.never-fires' && field === 'expression') return;
    if (field === 'maxRuns') return;
    expect((await api.post('/plan', plan)).body).toMatchObject({ code, field });
  });
});

describe('a preview', () => {
  it('takes the same fields, a range and a direction, and answers as the command does', async () => {
    const reply = await api.post('/plan', {
      expression: ['0 9 * * *', '0 12 * * SUN'],
      timezone: 'America/New_York',
      exclude: ['2026-03-07'],
      from: '2026-03-06T00:00:00Z',
      to: '2026-03-08T16:00:00Z',
    });
    expect(reply.status).toBe(200);
    expect(reply.body.items).toEqual([
      { scheduledTime: '2026-03-06T14:00:00.000Z', local: '2026-03-06T09:00:00-05:00', notes: [] },
      { scheduledTime: '2026-03-08T13:00:00.000Z', local: '2026-03-08T09:00:00-04:00', notes: [] },
      { scheduledTime: '2026-03-08T16:00:00.000Z', local: '2026-03-08T12:00:00-04:00', notes: [] },
    ]);
    expect(Object.keys(reply.body)).toEqual(['items', 'warnings', 'recurrence']);
    const back = await api.post('/plan', { expression: '@daily', previous: true, count: 2 });
    expect(back.body.items.map(({ scheduledTime }: { scheduledTime: string }) => scheduledTime)).toEqual([
      '2026-03-01T00:00:00.000Z',
      '2026-02-28T00:00:00.000Z',
    ]);
  });

  it('hashes H and the window from the schedule that it names', async () => {
    const plan = { expression: 'H H * * *', window: 'PT1H', count: 1 };
    const { id } = await created(api, { expression: plan.expression, window: plan.window });
    const own = await api.post('/plan', { ...plan, schedule: id });
    const other = await api.post('/plan', { ...plan, schedule: 'some/other' });
    expect(own.body.items).toEqual((await api.get(`/schedules/${id}/upcoming?count=1`)).body.items);
    expect(other.body.items).not.toEqual(own.body.items);
  });
});

describe('a window', () => {
  it('puts starts off by a hash, before the next time, and says so', async () => {
    const { path } = await created(api, { expression: '* * * * *', window: 'PT5M' });
    const all = await ledger(api, path);
    expect(all).toHaveLength(10);
    const delays = all.map(({ dueAt, scheduledTime }) => Date.parse(dueAt) - Date.parse(scheduledTime));
    expect(Math.max(...delays)).toBeLessThan(MINUTE);
    expect(new Set(delays).size).toBeGreaterThan(5);
    for (const { dueAt, notes } of all.filter((one) => one.dueAt !== one.scheduledTime))
      expect(notes).toEqual([{ code: 'window', message: expect.stringContaining(dueAt) }]);
    // The preview, the coming times and the occurrence say the same.
    const [next] = (await api.get(`${path}/upcoming?count=1`)).body.items;
    expect(next.notes).toEqual(all[0]?.notes);
  });

  it('is used by an outage: a time whose start is still to come was not missed', async () => {
    const { path } = await created(api, {
      expression: '0 14 * * *',
      window: 'P1D',
      catchUp: { mode: 'skip' },
    });
    await tickAt(api, at(2 * HOUR + 10 * MINUTE));
    const [one] = await ledger(api, path);
    expect(one).toMatchObject({ status: 'pending', scheduledTime: '2026-03-01T14:00:00.000Z' });
    expect(Date.parse(one?.dueAt ?? '')).toBeGreaterThan(at(2 * HOUR + 10 * MINUTE));
  });
});

describe('maxRuns', () => {
  it('creates so many and completes the schedule', async () => {
    const { path, reply } = await created(api, { expression: '* * * * *', maxRuns: 12 });
    expect(reply.body).toMatchObject({ state: 'enabled', remainingRuns: 2 });
    expect(await upcomingTimes(path, 20)).toHaveLength(12);
    await tickAt(api, at(9 * MINUTE));
    expect((await api.get(path)).body).toMatchObject({ state: 'enabled', remainingRuns: 0 });
    expect(await upcomingTimes(path, 20)).toEqual(
      [at(10 * MINUTE), at(11 * MINUTE), at(12 * MINUTE)].map(toIso),
    );
    await tickAt(api, at(HOUR));
    expect((await ledger(api, path)).map(({ kind }) => kind)).toEqual(Array(12).fill('scheduled'));
    expect((await api.get(path)).body.nextScheduledTime).toBeNull();
  });

  it('is reached in the request that makes it, when it is small', async () => {
    const { path, reply } = await created(api, { expression: '* * * * *', maxRuns: 1 });
    expect(reply.body).toMatchObject({
      state: 'enabled',
      remainingRuns: 0,
      nextScheduledTime: toIso(at(MINUTE)),
    });
    expect(await pendingTimes(path)).toEqual([toIso(at(MINUTE))]);
  });

  it('counts what catch-up runs and not what it coalesces', async () => {
    const { path } = await created(api, {
      expression: '0 * * * *',
      maxRuns: 3,
      catchUp: { mode: 'all', maxRuns: 2, spreadOver: 'PT0S' },
    });
    await tickAt(api, at(8 * HOUR + 30 * MINUTE));
    expect((await api.get(path)).body).toMatchObject({ state: 'enabled', remainingRuns: 1 });
    await tickAt(api, at(9 * HOUR - SECOND));
    expect((await api.get(path)).body.state).toBe('enabled');
    api.clock.set(at(9 * HOUR));
    expect((await api.get(path)).body.state).toBe('enabled');
    const all = await ledger(api, path);
    expect(all.map(({ status, coalesced }) => coalesced?.count ?? status)).toEqual([
      6,
      'pending',
      'pending',
      'pending',
    ]);
  });

  it('never runs more by catch-up than are left', async () => {
    const catchUp = { mode: 'all', maxRuns: 10, spreadOver: 'PT0S' };
    const { path } = await created(api, { expression: '0 * * * *', maxRuns: 2, catchUp });
    await tickAt(api, at(6 * HOUR));
    expect(await pendingTimes(path)).toEqual([at(5 * HOUR), at(6 * HOUR)].map(toIso));
    expect((await api.get(path)).body).toMatchObject({ state: 'enabled', remainingRuns: 0 });
  });

  it('goes on through an edit of something else, and gives back what the edit cancels', async () => {
    const { path } = await created(api, { expression: '* * * * *', maxRuns: 5 });
    expect((await api.get(path)).body.remainingRuns).toBe(0);
    api.clock.set(at(2.5 * MINUTE));
    const edited = await api.patch(path, { timeout: 'PT30S' });
    // Three of the five are still to come; the two whose time has passed go on by the new definition.
    expect(edited.body).toMatchObject({ revision: 2, remainingRuns: 0, state: 'enabled' });
    expect(await upcomingTimes(path, 9)).toHaveLength(3);
  });

  it('is counted anew when a time is edited, and counts on when it is itself', async () => {
    const { path } = await created(api, { expression: '0 9 * * *', maxRuns: 5 });
    await tickAt(api, at(21 * HOUR - MINUTE));
    expect((await api.get(path)).body.remainingRuns).toBe(4);
    expect((await api.patch(path, { description: 'same' })).body.remainingRuns).toBe(4);
    expect((await api.patch(path, { expression: '0 10 * * *' })).body.remainingRuns).toBe(5);
    await tickAt(api, at(46 * HOUR - MINUTE));
    expect((await api.patch(path, { maxRuns: 7 })).body.remainingRuns).toBe(5);
    expect((await api.patch(path, { maxRuns: null })).body).not.toHaveProperty('remainingRuns');
  });

  it('goes on from 3 to 5 and no further, also once it is completed, and takes back what a smaller one has no room for', async () => {
    const { path } = await created(api, { expression: '* * * * *', maxRuns: 3 });
    await tickAt(api, at(HOUR));
    expect((await api.get(path)).body).toMatchObject({ state: 'enabled', remainingRuns: 0 });
    const more = await api.patch(path, { maxRuns: 5 });
    expect(more.body).toMatchObject({ state: 'enabled', remainingRuns: 0 });
    expect(await upcomingTimes(path, 9)).toEqual([61, 62].map((minutes) => toIso(at(minutes * MINUTE))));
    await api.patch(path, { maxRuns: 4 });
    expect(await upcomingTimes(path, 9)).toEqual([toIso(at(61 * MINUTE))]);
    expect((await api.patch(path, { maxRuns: 2 })).body).toMatchObject({ remainingRuns: 0 });
    expect(await upcomingTimes(path, 9)).toEqual([]);
  });

  it('gives back what a pause cancels', async () => {
    const { path } = await created(api, { expression: '* * * * *', maxRuns: 3 });
    await api.post(`${path}/pause`);
    expect((await api.get(path)).body.remainingRuns).toBe(3);
    api.clock.set(at(HOUR));
    await api.post(`${path}/resume`);
    expect(await pendingTimes(path)).toEqual([61, 62, 63].map((minutes) => toIso(at(minutes * MINUTE))));
  });

  it('is told by a dry run', async () => {
    const { path } = await created(api, { expression: '0 * * * *' });
    const { body } = await api.patch(`${path}?dryRun=true`, { maxRuns: 2 });
    expect(body.after).toHaveLength(2);
    expect(body.removed).toHaveLength(8);
  });
});

describe('a recurrence that is too long for the head', () => {
  const dates = Array.from({ length: 200 }, (_, day) =>
    new Date(Date.UTC(2026, 2, 2 + day)).toISOString().slice(0, 10).replaceAll('-', ''),
  );
  const long = `DTSTART:20260301T090000Z\nRRULE:FREQ=DAILY\nEXDATE:${dates.map((day) => `${day}T090000Z`).join(',')}`;

  async function headSize(id: string): Promise<number> {
    const { client, schedulesTable: TableName } = api.stores;
    const answer = await client.send(new GetCommand({ TableName, Key: { pk: `S#${id}`, sk: 'HEAD' } }));
    return Buffer.byteLength(JSON.stringify(answer.Item));
  }

  it('is planned all the same, and the head stays small', async () => {
    expect(long.length).toBeGreaterThan(2_000);
    const { id, path, reply } = await created(api, { expression: long });
    expect(reply.body.nextScheduledTime).toBe('2026-09-18T09:00:00.000Z');
    expect(await headSize(id)).toBeLessThan(1_000);
    await tickAt(api, epochMs(Date.parse('2026-09-18T08:59:00Z')));
    expect(await pendingTimes(path)).toEqual(['2026-09-18T09:00:00.000Z']);
    expect((await api.get(path)).body.expression).toBe(long);
  });

  it('is read once, and a short one with its head', async () => {
    const [short, longer] = [await created(api), await created(api, { expression: long })];
    const reads: string[] = [];
    const counted = Object.create(api.stores.client, {
      send: {
        value: (command: { readonly constructor: { readonly name: string } }) => {
          reads.push(command.constructor.name);
          return api.stores.client.send(command as never);
        },
      },
    });
    const context = { ...api.stores.context, client: counted };
    const schedules = createScheduleStore(context);
    const readsOf = async (id: typeof short.id) => {
      reads.length = 0;
      const head = await schedules.readHead(id);
      return [head?.policy.expression, ...reads];
    };
    expect(await readsOf(short.id)).toEqual(['0 9 * * *', 'GetCommand']);
    expect(await readsOf(longer.id)).toEqual([long, 'GetCommand', 'GetCommand']);
    expect(await readsOf(longer.id)).toEqual([long, 'GetCommand']);
    // A page of the tick is read as one, however many of its heads are long.
    reads.length = 0;
    const planning = createPlanningStore(context);
    for (const shard of [0, 1, 2, 3])
      for await (const heads of planning.dueHeads(shard, at(300 * 24 * HOUR)))
        expect(heads.length).toBeGreaterThan(0);
    expect(reads.filter((name) => name === 'BatchGetCommand').length).toBeLessThanOrEqual(8);
  });

  it('is read again after an edit, by a tick that knew the old one', async () => {
    const { id, path } = await created(api, { expression: long });
    await tickAt(api, NOON);
    await api.patch(path, {
      expression: '*/5 * * * *',
      exclude: dates.slice(0, 100).map((day) => `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}`),
    });
    expect(await headSize(id)).toBeLessThan(1_000);
    await tickAt(api, at(4 * MINUTE));
    expect(await pendingTimes(path)).toEqual([toIso(at(5 * MINUTE)), toIso(at(10 * MINUTE))]);
    await api.patch(path, { exclude: null });
    await tickAt(api, at(14 * MINUTE));
    expect((await pendingTimes(path)).at(-1)).toBe(toIso(at(20 * MINUTE)));
  });
});
