import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ScheduleId } from '../../../../lambdas/core/ids.ts';
import { plan } from '../../../../lambdas/core/planning/planner.ts';
import type { OccurrenceStore } from '../../../../lambdas/core/ports/occurrence-store.ts';
import { headRecurrence } from '../../../../lambdas/core/schedule/head-recurrence.ts';
import { DAY, epochMs, HOUR, MINUTE, SECOND, toIso } from '../../../../lambdas/core/time.ts';
import { at, freshId, NOON } from '../../../support/fixtures.ts';
import { claimed } from '../../../support/seed.ts';
import { apiWith, created, LIMITS, ledger, openApi, type TestApi } from '../api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openApi();
});
afterEach(() => api.clock.set(NOON));
afterAll(() => api.close());

const time = (ms: number) => toIso(at(ms));
const say = (path: string, verb: string, scheduledTime: string, more = {}) =>
  api.post(`${path}/${verb}`, { scheduledTime, ...more });

/** Plans a schedule as a tick does at `now`, until nothing is due in the lead. */
async function tick(id: ScheduleId, now: number): Promise<void> {
  for (;;) {
    const head = await api.stores.schedules.readHead(id);
    if (!head || head.nextDueAt === null || head.nextDueAt > now + LIMITS.lead) return;
    const made = plan({
      schedule: id,
      revision: head.revision,
      policy: head.policy,
      recurrence: headRecurrence(head),
      nextDueAt: head.nextDueAt,
      now: epochMs(now),
      limits: { planWindow: LIMITS.planWindow, maxOccurrences: 90 },
    });
    const progress = { head, create: made.occurrences, records: made.records, nextDueAt: made.nextDueAt };
    const [result] = await api.stores.planning.materialise([progress], epochMs(now));
    expect(result).toEqual({ kind: 'materialised' });
  }
}

/** Status, and due time where it is not the scheduled one, by scheduled time; of one revision. */
async function standing(path: string, revision: number): Promise<Record<string, string>> {
  const all = (await ledger(api, path)).filter(
    (one) => one.revision === revision && one.kind === 'scheduled',
  );
  return Object.fromEntries(
    all.map(({ scheduledTime, status, dueAt }) => [
      scheduledTime,
      dueAt === scheduledTime ? status : `${status} at ${dueAt}`,
    ]),
  );
}

const HOURLY = { expression: '0 * * * *' };
const MINUTELY = { expression: '* * * * *' };

describe('skipping a coming time', () => {
  it('that is planned already skips the occurrence, and can be taken back until it is due', async () => {
    const { path } = await created(api, { expression: '*/30 * * * * *' });
    const skipped = await say(path, 'skip', time(MINUTE));
    expect(skipped).toMatchObject({
      status: 200,
      body: { status: 'skipped', reason: 'user', scheduledTime: time(MINUTE) },
    });
    expect((await say(path, 'skip', time(MINUTE))).body).toEqual(skipped.body);
    for (let n = 0; n < 2; n += 1) {
      expect(await say(path, 'unskip', time(MINUTE))).toMatchObject({
        status: 200,
        body: { status: 'pending', dueAt: time(MINUTE) },
      });
    }
    await say(path, 'skip', time(MINUTE));
    api.clock.set(at(MINUTE));
    for (const verb of ['skip', 'unskip']) {
      const late = await say(path, verb, time(verb === 'skip' ? 30 * SECOND : MINUTE));
      expect(late).toMatchObject({ status: 409, body: { code: 'occurrence.not-coming' } });
    }
  });

  it('that is not planned yet is met by the planner, which goes on', async () => {
    const { id, path } = await created(api, HOURLY);
    expect((await say(path, 'skip', time(2 * HOUR))).body).toMatchObject({ status: 'skipped', attempt: 0 });
    await tick(id, at(2 * HOUR - MINUTE));
    await tick(id, at(3 * HOUR - MINUTE));
    expect(await standing(path, 1)).toMatchObject({
      [time(2 * HOUR)]: 'skipped',
      [time(3 * HOUR)]: 'pending',
    });
  });

  it('that is not planned yet can be taken back, and runs once', async () => {
    const { id, path } = await created(api, HOURLY);
    await say(path, 'skip', time(2 * HOUR));
    expect((await say(path, 'unskip', time(2 * HOUR))).body).toMatchObject({
      status: 'pending',
      dueAt: time(2 * HOUR),
    });
    await tick(id, at(2 * HOUR - MINUTE));
    expect((await ledger(api, path)).filter((one) => one.scheduledTime === time(2 * HOUR))).toHaveLength(1);
  });

  it('is shown by upcoming', async () => {
    const { path } = await created(api, HOURLY);
    await say(path, 'skip', time(2 * HOUR));
    await say(path, 'move', time(3 * HOUR), { to: time(3 * HOUR + MINUTE) });
    const { items } = (await api.get(`${path}/upcoming?count=4`)).body;
    const codes = items.map(({ notes }: { notes: { code: string }[] }) => notes.map(({ code }) => code));
    expect(codes).toEqual([[], ['skipped'], ['moved'], []]);
    expect(items[2].notes[0].message).toContain(time(3 * HOUR + MINUTE));
  });

  it('names the field where it is no time of the schedule, and is refused for one that has passed', async () => {
    const { path } = await created(api, HOURLY);
    for (const verb of ['skip', 'unskip', 'move']) {
      const more = verb === 'move' ? { to: time(DAY) } : {};
      const odd = await say(path, verb, time(HOUR + 1), more);
      expect(odd).toMatchObject({ status: 400, body: { field: 'scheduledTime' } });
      expect(odd.body.detail).toContain(time(2 * HOUR));
      expect(await say(path, verb, time(-HOUR), more)).toMatchObject({
        status: 409,
        body: { code: 'occurrence.not-coming' },
      });
      expect((await say(path, verb, time(400 * DAY), more)).body.field).toBe('scheduledTime');
      expect((await say('/schedules/no/body', verb, time(HOUR), more)).status).toBe(404);
    }
    expect((await say(path, 'unskip', time(HOUR))).status).toBe(409);
  });

  it('loses to a claim, and wins against an edit that did not see it', async () => {
    const { id, path } = await created(api, MINUTELY);
    const key = { schedule: id, scheduledTime: at(MINUTE), revision: 1, kind: 'scheduled' } as const;
    const skip: OccurrenceStore['skip'] = async (...args) => {
      await claimed(api.stores, key, at(MINUTE));
      return api.stores.occurrences.skip(...args);
    };
    const racing = apiWith({ ...api.deps, occurrences: { ...api.stores.occurrences, skip } });
    const lost = await racing.post(`${path}/skip`, { scheduledTime: time(MINUTE) });
    expect(lost).toMatchObject({ status: 409, body: { detail: expect.stringContaining('running') } });

    const other = await created(api, HOURLY);
    let first = true;
    const applyChange: typeof api.stores.schedules.applyChange = async (change) => {
      if (first) await say(other.path, 'skip', time(2 * HOUR));
      first = false;
      return api.stores.schedules.applyChange(change);
    };
    const editing = apiWith({ ...api.deps, schedules: { ...api.stores.schedules, applyChange } });
    expect((await editing.patch(other.path, { input: 1 })).status).toBe(200);
    expect(await standing(other.path, 2)).toEqual({ [time(2 * HOUR)]: 'skipped' });
  });

  it('works while the schedule is paused and holds after it', async () => {
    const { id, path } = await created(api, MINUTELY);
    await api.post(`${path}/pause`);
    expect((await say(path, 'skip', time(5 * MINUTE))).body.status).toBe('skipped');
    expect((await say(path, 'unskip', time(5 * MINUTE))).status).toBe(409);
    await api.post(`${path}/resume`);
    await tick(id, at(MINUTE));
    expect(await standing(path, 1)).toMatchObject({
      [time(4 * MINUTE)]: 'pending',
      [time(5 * MINUTE)]: 'skipped',
      [time(6 * MINUTE)]: 'pending',
    });
  });
});

describe('moving a coming time', () => {
  const moved = (ms: number) => `pending at ${time(ms)}`;

  it('that is planned already changes when it is due, and back again', async () => {
    const { path } = await created(api, { expression: '*/30 * * * * *', startDeadline: 'PT10M' });
    const reply = await say(path, 'move', time(MINUTE), { to: time(HOUR) });
    expect(reply).toMatchObject({
      status: 200,
      body: {
        status: 'pending',
        scheduledTime: time(MINUTE),
        dueAt: time(HOUR),
        notes: [{ code: 'moved', message: expect.stringContaining(time(HOUR)) }],
      },
    });
    await say(path, 'move', time(MINUTE), { to: time(2 * HOUR) });
    // Its nominal time has passed; as long as it is not due it may still be changed.
    api.clock.set(at(HOUR));
    const again = await say(path, 'move', time(MINUTE), { to: time(3 * HOUR) });
    expect(again.body.notes).toHaveLength(1);
    const all = await ledger(api, path);
    expect(all.find(({ scheduledTime }) => scheduledTime === time(MINUTE))?.dueAt).toBe(time(3 * HOUR));
    api.clock.set(NOON);
    const back = await say(path, 'move', time(MINUTE), { to: time(MINUTE) });
    expect(back.body).toMatchObject({ dueAt: time(MINUTE), notes: [] });
  });

  it('that is not planned yet creates it ahead, and the planner goes on past it', async () => {
    const { id, path } = await created(api, HOURLY);
    const reply = await say(path, 'move', time(2 * HOUR), { to: time(HOUR + MINUTE) });
    expect(reply.body).toMatchObject({ status: 'pending', dueAt: time(HOUR + MINUTE) });
    await tick(id, at(2 * HOUR - MINUTE));
    await tick(id, at(3 * HOUR - MINUTE));
    expect(await standing(path, 1)).toEqual({
      [time(HOUR)]: expect.any(String),
      [time(2 * HOUR)]: moved(HOUR + MINUTE),
      [time(3 * HOUR)]: 'pending',
    });
  });

  it('can be skipped and taken back where it was moved to', async () => {
    const { path } = await created(api, HOURLY);
    await say(path, 'move', time(2 * HOUR), { to: time(4 * HOUR) });
    expect((await say(path, 'skip', time(2 * HOUR))).body.status).toBe('skipped');
    expect((await say(path, 'move', time(2 * HOUR), { to: time(5 * HOUR) })).status).toBe(409);
    expect((await say(path, 'unskip', time(2 * HOUR))).body.dueAt).toBe(time(4 * HOUR));
  });

  it('is refused into the past, too far ahead, while paused, and for what has started', async () => {
    const { id, path } = await created(api, MINUTELY);
    for (const to of [NOON, at(400 * DAY)]) {
      const reply = await say(path, 'move', time(MINUTE), { to: toIso(to) });
      expect([reply.status, reply.body.field]).toEqual([400, 'to']);
    }
    const key = { schedule: id, scheduledTime: at(MINUTE), revision: 1, kind: 'scheduled' } as const;
    await claimed(api.stores, key, at(MINUTE));
    expect((await say(path, 'move', time(MINUTE), { to: time(HOUR) })).status).toBe(409);
    await api.post(`${path}/pause`);
    expect((await say(path, 'move', time(5 * MINUTE), { to: time(HOUR) })).status).toBe(409);
  });
});

describe('an edit', () => {
  it('keeps skips and moves of times that it still has, planned already or not', async () => {
    const { id, path } = await created(api, MINUTELY);
    await say(path, 'skip', time(MINUTE));
    await say(path, 'skip', time(2 * HOUR));
    await say(path, 'move', time(2 * MINUTE), { to: time(HOUR) });
    await say(path, 'move', time(3 * HOUR), { to: time(4 * HOUR + SECOND) });
    const cancelled = (await ledger(api, path)).find(
      ({ scheduledTime }) => scheduledTime === time(4 * MINUTE),
    );
    await api.post(`/occurrences/${cancelled?.id}/cancel`);

    for (const [revision, patch] of [
      [2, { input: 'edited' }],
      [3, { expression: '0-59 * * * *' }],
    ] as const) {
      expect((await api.patch(path, patch)).status).toBe(200);
      await tick(id, NOON);
      expect(await standing(path, revision)).toMatchObject({
        [time(MINUTE)]: 'skipped',
        [time(2 * MINUTE)]: `pending at ${time(HOUR)}`,
        [time(3 * MINUTE)]: 'pending',
        [time(4 * MINUTE)]: 'skipped',
        [time(2 * HOUR)]: 'skipped',
        [time(3 * HOUR)]: `pending at ${time(4 * HOUR + SECOND)}`,
      });
    }
    const old = (await ledger(api, path)).filter(({ revision }) => revision < 3);
    expect(new Set(old.map(({ status }) => status))).toEqual(new Set(['cancelled', 'skipped']));
    // A time taken back stays taken back, whatever older revisions remember.
    await say(path, 'unskip', time(2 * HOUR));
    await api.patch(path, { input: 'again' });
    expect((await standing(path, 4))[time(2 * HOUR)]).not.toBe('skipped');
  });

  it('forgets those of times that it has no more', async () => {
    const { path } = await created(api, HOURLY);
    await say(path, 'skip', time(2 * HOUR));
    await say(path, 'move', time(3 * HOUR), { to: time(4 * HOUR) });
    await api.patch(path, { expression: '30 * * * *' });
    expect(await standing(path, 2)).toEqual({});
  });

  it('keeps a moved time whose nominal moment has passed, and does not repeat one that ran early', async () => {
    const { id, path } = await created(api, HOURLY);
    await say(path, 'move', time(HOUR), { to: time(5 * HOUR) });
    await say(path, 'move', time(8 * HOUR), { to: time(90 * MINUTE) });
    api.clock.set(at(2 * HOUR + SECOND));
    await tick(id, at(2 * HOUR));
    const key = { schedule: id, scheduledTime: at(8 * HOUR), revision: 1, kind: 'scheduled' } as const;
    await claimed(api.stores, key, at(2 * HOUR));
    await api.patch(path, { input: 'new' });
    expect(await standing(path, 2)).toEqual({ [time(8 * HOUR)]: 'skipped' });
    // Of a time that has passed: it goes on by the new definition.
    expect((await standing(path, 1))[time(HOUR)]).toBe(`pending at ${time(5 * HOUR)}`);
  });

  it('that keeps what is pending carries over what was decided ahead of it, once', async () => {
    const { id, path } = await created(api, MINUTELY);
    await say(path, 'move', time(2 * HOUR), { to: time(3 * HOUR + SECOND) });
    await say(path, 'skip', time(4 * HOUR));
    const reply = await api.patch(`${path}?pending=keep`, { input: 'new' });
    expect(reply.status).toBe(200);
    await tick(id, NOON);
    const both = (await ledger(api, path)).filter(({ scheduledTime }) => scheduledTime === time(2 * HOUR));
    expect(both.filter(({ status }) => status === 'pending')).toMatchObject([
      { revision: 2, dueAt: time(3 * HOUR + SECOND) },
    ]);
    expect((await standing(path, 2))[time(4 * HOUR)]).toBe('skipped');
    const head = await api.stores.schedules.readHead(id);
    expect(head?.nextDueAt).toBeLessThan(at(HOUR));
  });

  it('near a skipped time plans the times before it', async () => {
    const { path } = await created(api, { expression: '*/10 * * * * *' });
    await say(path, 'skip', time(50 * SECOND));
    await api.patch(path, { input: 'new' });
    expect(await standing(path, 2)).toMatchObject({
      [time(10 * SECOND)]: 'pending',
      [time(40 * SECOND)]: 'pending',
      [time(50 * SECOND)]: 'skipped',
      [time(60 * SECOND)]: 'pending',
    });
  });
});

describe('a pause and a resume', () => {
  it('keep the move of a time that is still to come', async () => {
    const { id, path } = await created(api, HOURLY);
    await say(path, 'move', time(2 * HOUR), { to: time(5 * HOUR) });
    await api.post(`${path}/pause`);
    expect((await standing(path, 1))[time(2 * HOUR)]).toBe(`cancelled at ${time(5 * HOUR)}`);
    api.clock.set(at(HOUR + MINUTE));
    await api.post(`${path}/resume`);
    await tick(id, at(2 * HOUR - MINUTE));
    expect((await standing(path, 1))[time(2 * HOUR)]).toBe(`pending at ${time(5 * HOUR)}`);
  });

  it('keep the move through edits in between, as long as the time is one of the schedule', async () => {
    const { id, path } = await created(api, HOURLY);
    await say(path, 'move', time(2 * HOUR), { to: time(5 * HOUR) });
    await say(path, 'move', time(3 * HOUR), { to: time(6 * HOUR) });
    await api.post(`${path}/pause`);
    await api.patch(path, { input: 'new' });
    await api.patch(path, { exclude: [time(3 * HOUR).slice(0, 'yyyy-mm-ddThh:mm'.length)] });
    await say(path, 'skip', time(4 * HOUR));
    await api.post(`${path}/resume`);
    await tick(id, at(4 * HOUR - MINUTE));
    const stands = await standing(path, 3);
    expect(stands[time(2 * HOUR)]).toBe(`pending at ${time(5 * HOUR)}`);
    expect(stands[time(3 * HOUR)]).toBeUndefined();
    expect(stands[time(4 * HOUR)]).toBe('skipped');
  });

  it('keep no move of an earlier pause, whose time was none of the schedule when that ended', async () => {
    const { id, path } = await created(api, HOURLY);
    await say(path, 'move', time(2 * HOUR), { to: time(5 * HOUR) });
    await api.post(`${path}/pause`);
    await api.patch(path, { expression: '0 1-23/2 * * *' });
    await api.post(`${path}/resume`);
    api.clock.set(at(MINUTE));
    await api.post(`${path}/pause`);
    await api.patch(path, HOURLY);
    await api.post(`${path}/resume`);
    await tick(id, at(2 * HOUR - MINUTE));
    expect((await standing(path, 3))[time(2 * HOUR)]).toBe('pending');
  });

  it('keep more skips than one transaction holds through an edit', async () => {
    const { path } = await created(api, HOURLY);
    for (let hour = 1; hour <= 45; hour += 1) await say(path, 'skip', time(hour * HOUR));
    await api.patch(path, { input: 'new' });
    const carried = Object.values(await standing(path, 2));
    expect(carried).toEqual(Array(45).fill('skipped'));
  });

  it.each([undefined, 'keep', 'cancel'])(
    'that are more than an edit can take along have it refused, with what to do (pending=%s)',
    async (pending) => {
      const { path } = await created(api, HOURLY);
      for (let hour = 1; hour <= 44; hour += 1) {
        await say(path, 'move', time(hour * HOUR), { to: time(hour * HOUR + MINUTE) });
        await say(path, 'skip', time((hour + 44) * HOUR));
      }
      const query = pending ? `?pending=${pending}` : '';
      const before = await standing(path, 1);
      const refused = await api.patch(`${path}${query}`, { input: 'new' });
      expect(refused).toMatchObject({ status: 409, body: { code: 'schedule.many-decisions' } });
      expect(refused.body.detail).toMatch(/^88 coming times .* POST \/schedules\/.*\/unskip, .*\/move\.$/);
      const rehearsed = await api.patch(`${path}?dryRun=true${pending ? `&pending=${pending}` : ''}`, {
        input: 'new',
      });
      expect([rehearsed.status, rehearsed.body.detail]).toEqual([409, refused.body.detail]);
      expect(await standing(path, 1)).toEqual(before);
      // What keeps what is pending has to cancel each moved time as well.
      const [moves, skips] = pending === 'keep' ? [42, 1] : [44, 41];
      for (let hour = 44; hour > skips; hour -= 1) await say(path, 'unskip', time((hour + 44) * HOUR));
      for (let hour = 44; hour > moves; hour -= 1) {
        await say(path, 'move', time(hour * HOUR), { to: time(hour * HOUR) });
      }
      expect((await api.patch(`${path}${query}`, { input: 'new' })).status).toBe(200);
      const carried = await standing(path, 2);
      const of = (status: string) => Object.values(carried).filter((one) => one.startsWith(status)).length;
      expect([of('pending at'), of('skipped')]).toEqual([moves, skips]);
    },
  );

  it('keep as many moves and skips through an edit that has every calendar exchanged', async () => {
    const names = Array.from({ length: 20 }, () => freshId('calendar').replace('/', '-'));
    for (const name of names) await api.put(`/calendars/${name}`, { dates: ['2031-01-01'] });
    const { path } = await created(api, { ...HOURLY, calendars: names.slice(0, 10) });
    const moved = Array.from({ length: 25 }, (_, index) => (index + 1) * HOUR);
    const skipped = Array.from({ length: 30 }, (_, index) => (index + 26) * HOUR);
    for (const at of moved) await say(path, 'move', time(at), { to: time(at + MINUTE) });
    for (const at of skipped) await say(path, 'skip', time(at));
    const edit = await api.patch(path, { input: 'new', calendars: names.slice(10) });
    expect(edit).toMatchObject({ status: 200, body: { revision: 2 } });
    expect(await standing(path, 2)).toEqual({
      ...Object.fromEntries(moved.map((at) => [time(at), `pending at ${time(at + MINUTE)}`])),
      ...Object.fromEntries(skipped.map((at) => [time(at), 'skipped'])),
    });
  });
});
