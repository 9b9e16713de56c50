import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshNames, openApi, scheduleBody, type TestApi } from '../api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openApi();
});
afterAll(() => api.close());

const TEXT = JSON.stringify(scheduleBody());
/** The body with members of their own text in front. */
const having = (members: string) => TEXT.replace('{', `{${members},`);

async function putBytes(path: string, body: Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) {
  const sent = { 'content-type': 'application/json', ...headers };
  const response = await api.app.request(path, { method: 'PUT', body, headers: sent });
  return { status: response.status, body: JSON.parse(await response.text()) };
}

describe('a body', () => {
  it('that is not UTF-8 is refused, and not stored with other characters', async () => {
    const { path } = freshNames();
    const latin = Uint8Array.from(Buffer.from(having('"input":"caf\u00e9"'), 'latin1'));
    const utf16 = Uint8Array.from(Buffer.from(TEXT, 'utf16le'));
    for (const [bytes, charset] of [
      [latin, ''],
      [latin, '; charset=iso-8859-1'],
      [utf16, '; charset=utf-16'],
    ] as const) {
      const reply = await putBytes(path, bytes, { 'content-type': `application/json${charset}` });
      expect([reply.status, reply.body.code]).toEqual([400, 'request.not-json']);
    }
    expect((await api.get(path)).status).toBe(404);
    const marked = await putBytes(path, Uint8Array.from(Buffer.from(`\ufeff${having('"input":"café"')}`)));
    expect([marked.status, marked.body.input]).toEqual([201, 'café']);
  });

  it('that is packed is refused: nothing is unpacked', async () => {
    const { path } = freshNames();
    const packed = Uint8Array.from(gzipSync(TEXT));
    const reply = await putBytes(path, packed, { 'content-encoding': 'gzip' });
    expect([reply.status, reply.body.field]).toEqual([415, 'content-encoding']);
    expect((await api.put(path, TEXT, { 'content-encoding': 'identity' })).status).toBe(201);
  });

  it('of which __proto__ would be dropped is refused by its field; an input is given back as it was', async () => {
    const { path } = freshNames();
    for (const [body, field] of [
      [having('"__proto__":{"x":1}'), '__proto__'],
      [having('"tags":{"__proto__":"x"}'), 'tags.__proto__'],
      [
        TEXT.replace('"kind":"http"', '"kind":"http","headers":{"__proto__":"x"}'),
        'target.headers.__proto__',
      ],
    ]) {
      const reply = await api.put(path, body);
      expect([reply.status, reply.body.field]).toEqual([400, field]);
    }
    const input = '{"__proto__":{"x":1},"constructor":{"prototype":null}}';
    expect((await api.put(path, having(`"input":${input}`))).status).toBe(201);
    expect(JSON.stringify((await api.get(path)).body.input)).toBe(input);
    expect((await api.patch(path, '{"input":{"__proto__":{"y":2}}}')).status).toBe(200);
    const merged = '{"__proto__":{"x":1,"y":2},"constructor":{"prototype":null}}';
    expect(JSON.stringify((await api.get(path)).body.input)).toBe(merged);
    expect(({} as { y?: unknown }).y).toBeUndefined();
  });

  it('with a name twice has the last, as JSON readers do', async () => {
    const { path } = freshNames();
    const twice = having('"timezone":"UTC","timezone":"Europe/Paris"');
    expect((await api.put(path, twice)).body.timezone).toBe('Europe/Paris');
  });
});

describe('a cursor that somebody made', () => {
  it('shows nothing that its list does not', async () => {
    const { group, path } = freshNames();
    await api.put(path, TEXT);
    await api.put(`/schedules/${group}/b`, TEXT);
    const first = (await api.get(`/schedules?group=${group}&limit=1`)).body.cursor;
    const [scope, key] = JSON.parse(Buffer.from(first, 'base64url').toString());
    const made = (content: unknown) => Buffer.from(JSON.stringify([scope, content])).toString('base64url');
    for (const content of [{}, { ...key, more: 1 }, { ...key, pk: {} }, null]) {
      const reply = await api.get(`/schedules?group=${group}&limit=1&cursor=${made(content)}`);
      expect([reply.status, reply.body.code], JSON.stringify(content)).toEqual([400, 'cursor.invalid']);
    }
    // DynamoDB refuses a start in another partition; whoever does not still answers from this one only.
    const elsewhere = await api.get(`/schedules?group=${group}&cursor=${made({ ...key, group: 'other' })}`);
    for (const item of elsewhere.body.items ?? []) expect(item.group).toBe(group);
    for (const other of ['/schedules?', '/calendars?', `${path}/occurrences?`]) {
      expect((await api.get(`${other}limit=1&cursor=${first}`)).body.code, other).toBe('cursor.invalid');
    }
  });
});
