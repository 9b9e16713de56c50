import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { headRecurrence } from '../../../../lambdas/core/schedule/head-recurrence.ts';
import { type EpochMs, epochMs, HOUR, MINUTE, toIso } from '../../../../lambdas/core/time.ts';
import { tick } from '../../../../lambdas/tick/tick.ts';
import { at, freshId, NOON } from '../../../support/fixtures.ts';
import {
  apiWith,
  created,
  freshNames,
  LIMITS,
  ledger,
  openApi,
  scheduleBody,
  type TestApi,
  tally,
} from '../api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openApi();
});
beforeEach(() => api.clock.set(NOON));
afterAll(() => api.close());

const freshName = () => freshId('calendar').replace('/', '-');

/** A calendar that exists. */
async function stored(content: Record<string, unknown> = { dates: ['2026-03-02'] }): Promise<string> {
  const name = freshName();
  const reply = await api.put(`/calendars/${name}`, content);
  if (reply.status !== 201) throw new Error(`Not stored: ${JSON.stringify(reply.body)}`);
  return name;
}

function tickAt(now: EpochMs) {
  api.clock.set(now);
  const { planning: store, occurrences } = api.stores;
  const terms = { ...LIMITS, holder: `tick-${now}`, stopAt: epochMs(now + HOUR), now: () => now };
  return tick({ store, occurrences, recurrenceOf: headRecurrence, ...terms }, [0, 1, 2, 3]);
}

async function nextOf(path: string): Promise<string> {
  return (await api.get(path)).body.nextScheduledTime;
}

describe('a calendar', () => {
  it('is made, read, replaced and deleted under an ETag', async () => {
    const path = `/calendars/${freshName()}`;
    const content = {
      dates: ['2026-12-24/2026-12-26'],
      closedWeekdays: ['SAT', 'SUN'],
      timezone: 'Europe/Berlin',
    };
    const made = await api.put(path, content);
    expect([made.status, made.headers.get('etag')]).toEqual([201, '"1"']);
    const read = await api.get(path);
    expect(read.body).toMatchObject({
      ...content,
      version: 1,
      schedules: { using: 0, behind: [], behindCount: 0 },
    });
    expect((await api.put(path, content)).body.version).toBe(1);
    const stale = await api.put(path, { dates: [] }, { 'if-match': '"9"' });
    expect([stale.status, stale.body.code]).toEqual([412, 'calendar.stale']);
    expect((await api.put(path, { dates: [] }, { 'if-match': '"1"' })).body).toMatchObject({
      version: 2,
      dates: [],
      closedWeekdays: [],
    });
    expect((await api.delete(path, { 'if-match': '"1"' })).status).toBe(412);
    expect((await api.delete(path)).status).toBe(204);
    expect((await api.get(path)).body).toMatchObject({ code: 'calendar.not-found', status: 404 });
    expect((await api.delete(path)).status).toBe(404);
    // A number never means two contents: older revisions of schedules were made with it.
    expect((await api.put(path, content)).body.version).toBe(3);
  });

  it('is in the list, by name and in pages', async () => {
    const names = [await stored(), await stored(), await stored()].toSorted();
    const seen: string[] = [];
    let cursor = '';
    do {
      const { body } = await api.get(`/calendars?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
      seen.push(...body.items.map(({ name }: { name: string }) => name));
      cursor = body.cursor ?? '';
    } while (cursor !== '');
    expect(seen.filter((name) => names.includes(name))).toEqual(names);
    expect(seen).toEqual(seen.toSorted());
  });

  it.each([
    [{ dates: ['2026-02-30'] }, 'expression.invalid', 'dates[0]'],
    [{ dates: ['2026-12-25', 'christmas'] }, 'expression.invalid', 'dates[1]'],
    [{ dates: ['2026-12-26/2026-12-25'] }, 'expression.invalid', 'dates[0]'],
    [{ closedWeekdays: ['SAT', 'FUN'] }, 'request.invalid', 'closedWeekdays[1]'],
    [{ timezone: 'Mars/Olympus' }, 'timezone.unknown', 'timezone'],
    [{ open: true }, 'request.unknown-field', 'open'],
  ])('that says %j is refused with the code and the field', async (content, code, field) => {
    const reply = await api.put(`/calendars/${freshName()}`, content);
    expect([reply.status, reply.body.code, reply.body.field]).toEqual([400, code, field]);
  });
});

describe('a schedule with calendars', () => {
  it('does not fire on their closed days, and moves where it is to', async () => {
    const calendars = [await stored({ dates: ['2026-03-02'] }), await stored({ closedWeekdays: ['TUE'] })];
    const skips = await created(api, { calendars });
    expect(skips.reply.body).toMatchObject({ calendars, nextScheduledTime: '2026-03-04T09:00:00.000Z' });
    const moves = await created(api, { expression: '0 9 2 * *', calendars, onExcluded: 'next-business-day' });
    const [first] = (await api.get(`${moves.path}/upcoming`)).body.items;
    expect(first.scheduledTime).toBe('2026-03-04T09:00:00.000Z');
    expect(first.notes[0].code).toBe('calendar.moved-later');
    const plan = { expression: '0 9 * * *', calendars, count: 1 };
    expect((await api.post('/plan', plan)).body.items[0].scheduledTime).toBe('2026-03-04T09:00:00.000Z');
  });

  it('is refused where one does not exist, in a create, an edit and a preview', async () => {
    const missing = { status: 400, code: 'calendar.not-found', field: 'calendars[1]', value: 'nowhere' };
    const calendars = [await stored(), 'nowhere'];
    const { group, name } = freshNames();
    expect((await api.post('/schedules', scheduleBody({ group, name, calendars }))).body).toMatchObject(
      missing,
    );
    const { path } = await created(api);
    expect((await api.patch(path, { calendars })).body).toMatchObject(missing);
    expect((await api.post('/plan', { expression: '@daily', calendars })).body).toMatchObject(missing);
  });

  it('is planned by the tick with what they say, and runs with the times around by them', async () => {
    const calendar = await stored({ dates: ['2026-03-02'] });
    const { path } = await created(api, { calendars: [calendar] });
    await tickAt(epochMs(Date.parse('2026-03-02T08:59:00Z')));
    expect(await ledger(api, path)).toEqual([]);
    await tickAt(epochMs(Date.parse('2026-03-04T08:59:00Z')));
    expect((await ledger(api, path)).at(-1)?.scheduledTime).toBe('2026-03-04T09:00:00.000Z');
  });
});

describe('an edit of a calendar', () => {
  it('is in force at once for what is not planned yet', async () => {
    const name = await stored({ dates: ['2026-03-02'] });
    const { path } = await created(api, { calendars: [name] });
    expect(await nextOf(path)).toBe('2026-03-03T09:00:00.000Z');
    const closed = await api.put(`/calendars/${name}`, { dates: ['2026-03-02/2026-03-05'] });
    expect(closed.body).toMatchObject({ version: 2, schedules: { using: 1, behind: [], behindCount: 0 } });
    expect(await nextOf(path)).toBe('2026-03-06T09:00:00.000Z');
    // Opened again, the tick comes for a time that is earlier than the one that it was to come for.
    await api.put(`/calendars/${name}`, { dates: [] });
    await tickAt(epochMs(Date.parse('2026-03-02T08:59:00Z')));
    expect((await ledger(api, path)).map(({ scheduledTime }) => scheduledTime)).toEqual([
      '2026-03-02T09:00:00.000Z',
    ]);
  });

  it('is in force at once for what is planned already', async () => {
    const name = await stored({ dates: [] });
    const { path } = await created(api, { expression: '* * * * *', calendars: [name] });
    expect(tally(await ledger(api, path))).toEqual({ pending: 10 });
    await api.put(`/calendars/${name}`, { dates: ['2026-03-01'] });
    expect(tally(await ledger(api, path))).toEqual({ 'cancelled superseded': 10 });
    expect((await api.get(path)).body).toMatchObject({
      revision: 2,
      nextScheduledTime: '2026-03-02T00:00:00.000Z',
    });
  });

  it('wins against a tick that has read the schedule before it', async () => {
    const name = await stored({ dates: [] });
    const { path } = await created(api, { expression: '0 13 * * *', calendars: [name] });
    const { planning, occurrences } = api.stores;
    const store: typeof planning = {
      ...planning,
      async materialise(batch, now) {
        await api.put(`/calendars/${name}`, { dates: ['2026-03-01'] });
        return planning.materialise(batch, now);
      },
    };
    api.clock.set(at(59 * MINUTE));
    const terms = { ...LIMITS, holder: 'slow', stopAt: at(9 * HOUR), now: () => at(59 * MINUTE) };
    const result = await tick({ store, occurrences, recurrenceOf: headRecurrence, ...terms }, [0, 1, 2, 3]);
    expect(result.lostRaces).toBeGreaterThan(0);
    expect(await ledger(api, path)).toEqual([]);
  });

  it('leaves a schedule alone that it would leave no time for, and says which', async () => {
    const name = await stored({ dates: [] });
    const { group, name: own, path } = freshNames();
    await api.put(path, scheduleBody({ expression: 'at(2026-03-05T09:00:00)', calendars: [name] }));
    const other = await created(api, { calendars: [name] });
    const { body } = await api.put(`/calendars/${name}`, { dates: ['2026-03-05'] });
    expect(body.schedules).toMatchObject({
      using: 2,
      behindCount: 1,
      behind: [{ group, name: own, code: 'expression.never-fires' }],
    });
    expect(await nextOf(path)).toBe('2026-03-05T09:00:00.000Z');
    expect((await api.get(other.path)).body.revision).toBe(2);
    expect((await api.get(`/calendars/${name}`)).body.schedules.behind).toEqual([{ group, name: own }]);
  });

  it('that time runs out for is finished by the same request again', async () => {
    const name = await stored({ dates: [] });
    const users = await Promise.all(Array.from({ length: 3 }, () => created(api, { calendars: [name] })));
    let late: number = NOON;
    const now = () => {
      late += 15_000;
      return epochMs(late);
    };
    const slow = apiWith({ ...api.deps, clock: { ...api.clock, now } });
    const first = await slow.put(`/calendars/${name}`, { dates: ['2026-03-02'] });
    expect(first.body.schedules.behindCount).toBe(2);
    const second = await api.put(`/calendars/${name}`, { dates: ['2026-03-02'] });
    expect(second.body).toMatchObject({ version: 2, schedules: { using: 3, behindCount: 0 } });
    for (const { path } of users) expect(await nextOf(path)).toBe('2026-03-03T09:00:00.000Z');
  });

  it('between the read and the write of a new schedule is seen by it', async () => {
    const name = await stored({ dates: [] });
    const { path } = freshNames();
    let edited = false;
    const schedules: typeof api.deps.schedules = {
      ...api.deps.schedules,
      async applyChange(change) {
        if (!edited) {
          edited = true;
          await api.put(`/calendars/${name}`, { dates: ['2026-03-02'] });
        }
        return api.stores.schedules.applyChange(change);
      },
    };
    await apiWith({ ...api.deps, schedules }).put(path, scheduleBody({ calendars: [name] }));
    expect(await nextOf(path)).toBe('2026-03-03T09:00:00.000Z');
    expect((await api.get(`/calendars/${name}`)).body.schedules).toMatchObject({ using: 1, behindCount: 0 });
  });

  it('keeps a paused schedule paused and wakes a completed one that gets a time', async () => {
    const name = await stored({ dates: ['2026-03-03'] });
    const paused = await created(api, { calendars: [name] });
    await api.post(`${paused.path}/pause`);
    const done = await created(api, {
      expression: ['at(2026-03-01T12:01:00)', 'at(2026-03-03T09:00:00)'],
      calendars: [name],
    });
    expect((await api.stores.schedules.readHead(done.id))?.state).toBe('completed');
    await api.put(`/calendars/${name}`, { dates: [] });
    expect((await api.get(paused.path)).body).toMatchObject({ state: 'paused', revision: 2 });
    expect((await api.get(done.path)).body.state).toBe('enabled');
    await tickAt(epochMs(Date.parse('2026-03-03T08:59:00Z')));
    expect((await ledger(api, done.path)).at(-1)?.scheduledTime).toBe('2026-03-03T09:00:00.000Z');
  });
});

describe('deleting a calendar', () => {
  it('is refused while schedules use it, and names some', async () => {
    const name = await stored();
    const { id, path } = await created(api, { calendars: [name] });
    const refused = await api.delete(`/calendars/${name}`);
    expect([refused.status, refused.body.code]).toEqual([409, 'calendar.in-use']);
    expect(refused.body.detail).toContain(id);
    await api.patch(path, { calendars: null });
    expect((await api.delete(`/calendars/${name}`)).status).toBe(204);
  });

  it('is possible once its last schedule is deleted, by a person or because it was through', async () => {
    const name = await stored({ dates: [] });
    const byHand = await created(api, { calendars: [name] });
    await api.delete(byHand.path);
    const through = await created(api, {
      expression: 'at(2026-03-01T12:01:00)',
      calendars: [name],
      deleteAfterCompletion: true,
    });
    await api.post(`${through.path}/skip`, { scheduledTime: toIso(at(MINUTE)) });
    expect((await api.delete(`/calendars/${name}`)).status).toBe(409);
    await tickAt(at(30 * MINUTE));
    expect((await api.get(through.path)).status).toBe(404);
    expect((await api.delete(`/calendars/${name}`)).status).toBe(204);
  });

  it('is taken back when a schedule has begun to use it meanwhile', async () => {
    const name = await stored();
    let looks = 0;
    const calendars: typeof api.deps.calendars = {
      ...api.deps.calendars,
      async deleteCalendar(seen, now) {
        looks += 1;
        await created(api, { calendars: [name] });
        return api.deps.calendars.deleteCalendar(seen, now);
      },
    };
    const refused = await apiWith({ ...api.deps, calendars }).delete(`/calendars/${name}`);
    expect([looks, refused.status, refused.body.code]).toEqual([1, 409, 'calendar.in-use']);
    expect((await api.get(`/calendars/${name}`)).body).toMatchObject({ version: 1, schedules: { using: 1 } });
  });
});
