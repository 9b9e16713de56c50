import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { signedRequest } from '../../../../bin/signed-request.ts';
import { apiRegion, readZones } from '../../../../bin/zones.ts';
import { headRecurrence } from '../../../../lambdas/core/schedule/head-recurrence.ts';
import { epochMs, HOUR, toIso } from '../../../../lambdas/core/time.ts';
import { tick } from '../../../../lambdas/tick/tick.ts';
import { at, NOON } from '../../../support/fixtures.ts';
import { keyOf, planned } from '../../../support/seed.ts';
import { apiWith, type Body, created, LIMITS, openApi, type TestApi } from '../api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openApi();
});
beforeEach(() => api.clock.set(NOON));
afterAll(() => api.close());

/** The API as it runs with a later version of the zone data. */
const later = () => apiWith({ ...api.deps, zoneData: '2027a' });

/** Has the head stand where other zone data had it an hour earlier. */
async function plannedElsewhere(path: string, zoneData = '2026a'): Promise<void> {
  const head = await api.stores.schedules.readHead(path.slice('/schedules/'.length) as never);
  if (head?.nextDueAt == null) throw new Error('It has no next time.');
  const nextDueAt = epochMs(head.nextDueAt - HOUR);
  await api.stores.planning.materialise([{ head, create: [], records: [], nextDueAt, zoneData }], NOON);
}

async function reported(from: ReturnType<typeof apiWith>, limit = 100): Promise<Body[]> {
  const items: Body[] = [];
  let cursor = '';
  do {
    const { body } = await from.get(
      `/zones/report?limit=${limit}${cursor === '' ? '' : `&cursor=${cursor}`}`,
    );
    items.push(...body.items);
    cursor = body.cursor ?? '';
  } while (cursor !== '');
  return items;
}

describe('the report of zones', () => {
  it('lists what the data here moves, before and after the tick has moved it, until that time is planned', async () => {
    const timezone = 'America/Vancouver';
    const { path } = await created(api, { timezone });
    const stays = await created(api, { timezone });
    expect(await reported(api)).toEqual([]);
    await plannedElsewhere(path);
    const [group, name] = path.split('/').slice(2);
    const item = {
      group,
      name,
      timezone,
      state: 'moves',
      from: '2026-03-01T16:00:00.000Z',
      to: '2026-03-01T17:00:00.000Z',
      zoneData: '2026a',
    };
    expect(await reported(later(), 1)).toEqual([item]);
    const { planning: store, occurrences } = api.stores;
    const run = (now: typeof NOON) => {
      const terms = { ...LIMITS, holder: `t-${now}`, stopAt: epochMs(now + HOUR), now: () => now };
      return tick(
        { store, occurrences, recurrenceOf: headRecurrence, zoneData: '2027a', ...terms },
        [0, 1, 2, 3],
      );
    };
    await run(at(60_000));
    expect(await reported(later())).toEqual([{ ...item, state: 'moved' }]);
    api.clock.set(at(5 * HOUR - 60_000));
    await run(at(5 * HOUR - 60_000));
    expect(await reported(later())).toEqual([]);
    expect((await api.get(stays.path)).body.nextScheduledTime).toBe('2026-03-01T17:00:00.000Z');
  });

  it.each(['edit', 'resume'] as const)(
    'is followed by an %s with what people decided about coming times',
    async (kind) => {
      const { id, path } = await created(api, { timezone: 'America/Vancouver' });
      await plannedElsewhere(path);
      const [skipped, moved, to] = [at(28 * HOUR), at(52 * HOUR), at(60 * HOUR)];
      const head = async () => {
        const found = await api.stores.schedules.readHead(id);
        if (!found) throw new Error('gone');
        return found;
      };
      const { occurrences } = api.stores;
      const seen = await head();
      await occurrences.createAhead({ kind: 'skip', key: keyOf(seen, skipped) }, seen, NOON);
      const occurrence = planned(seen, moved, { dueAt: to, notes: [{ code: 'moved', message: '' }] });
      await occurrences.createAhead({ kind: 'create', occurrence }, await head(), NOON);
      const app = later();
      if (kind === 'edit') await app.patch(path, { input: 'new' });
      else for (const verb of ['pause', 'resume']) await app.post(`${path}/${verb}`);
      const { revision } = await head();
      const now = async (time: number) =>
        await occurrences.readOccurrence(keyOf({ ...seen, revision }, epochMs(time + HOUR)));
      expect(await now(skipped)).toMatchObject({ status: 'skipped', reason: 'user' });
      expect(await now(moved)).toMatchObject({ status: 'pending', dueAt: to });
      expect((await occurrences.openOf(id)).filter(({ dueAt }) => dueAt === to)).toHaveLength(1);
      expect((await app.post(`${path}/unskip`, { scheduledTime: toIso(skipped) })).status).not.toBe(200);
    },
  );

  it('is printed by a command, for people and as JSON', async () => {
    const { id, path } = await created(api, { timezone: 'Europe/Berlin' });
    await plannedElsewhere(path);
    const server = await serve(later());
    const command = fileURLToPath(new URL('../../../../bin/punctual.ts', import.meta.url));
    const { port } = server.address() as AddressInfo;
    const zones = (...args: string[]) =>
      promisify(execFile)(process.execPath, [command, 'zones', '--api', `http://127.0.0.1:${port}`, ...args]);
    try {
      const { stdout } = await zones('--json');
      expect(JSON.parse(stdout)).toMatchObject({
        zoneData: '2027a',
        items: [{ state: 'moves', timezone: 'Europe/Berlin' }],
      });
      const text = (await zones()).stdout;
      expect(text).toMatch(/^1 of \d+ schedules have a next time that zone data 2027a moves\.\n/);
      expect(text).toContain(
        `${id}  Europe/Berlin  2026-03-02T07:00:00.000Z (2026a) → 2026-03-02T08:00:00.000Z`,
      );
    } finally {
      server.close();
    }
    await expect(zones()).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('error: ') });
  });
});

async function serve(app: ReturnType<typeof apiWith>): Promise<Server> {
  const server = createServer(async (request, response) => {
    const { status, body } = await app.get(request.url ?? '/');
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

describe('a signed request', () => {
  const request = (url: string) =>
    signedRequest(
      new URL(url),
      {},
      {
        region: 'us-east-1',
        service: 'service',
        credentials: {
          accessKeyId: 'AKIDEXAMPLE',
          secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
        },
        now: new Date('2015-08-30T12:36:00Z'),
      },
    );

  it('is signed as AWS describes, whatever the order of its query', async () => {
    const { headers } = await request('https://example.amazonaws.com/?Param2=value2&Param1=value1');
    const other = await request('https://example.amazonaws.com/?Param1=value1&Param2=value2');
    expect(headers.get('x-amz-date')).toBe('20150830T123600Z');
    expect(headers.get('authorization')).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/20150830\/us-east-1\/service\/aws4_request, SignedHeaders=host;[^,]*x-amz-date, Signature=[0-9a-f]{64}$/,
    );
    expect(headers.get('authorization')).toBe(other.headers.get('authorization'));
  });

  it('is for addresses of API Gateway only', () => {
    expect(apiRegion(new URL('https://abc123.execute-api.eu-central-1.amazonaws.com/'))).toBe('eu-central-1');
    expect(apiRegion(new URL('http://127.0.0.1:8080/'))).toBeUndefined();
  });

  it('is said not to answer, or not to be an address', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    await expect(readZones(`http://127.0.0.1:${port}`)).rejects.toThrow(
      `http://127.0.0.1:${port} does not answer: connect ECONNREFUSED`,
    );
    await expect(readZones('localhost:4000')).rejects.toThrow('write it as http://127.0.0.1:4000');
  });
});
