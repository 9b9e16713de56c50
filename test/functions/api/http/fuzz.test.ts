import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { created, freshNames, openApi, type Reply, scheduleBody, type TestApi } from '../api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openApi();
});
afterAll(() => api.close());

/** Whatever the request, the answer is one of the documented ones: never a fault of ours. */
function expectAnswered(reply: Reply, allowed: readonly number[], request: unknown) {
  const fault = api.logged.at(-1)?.error;
  expect(allowed, `${reply.status} ${fault?.stack ?? ''} for ${JSON.stringify(request)}`).toContain(
    reply.status,
  );
  if (reply.status >= 400) expect(reply.body.code).not.toBe('internal');
}

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom('', '__proto__', 'constructor', '0', 'NaN', '1e400', '\u0000', '\ud800', 'P1D', 'PT-1S'),
);
const anyJson = fc.oneof(
  fc.jsonValue({ maxDepth: 6 }),
  anyText,
  fc.double(),
  fc.constantFrom(null, true, -0, 2 ** 60, [], {}, [[[]]], { '': 1 }),
);
const fields = [
  'expression',
  'timezone',
  'dst',
  'exclude',
  'calendars',
  'onExcluded',
  'dayRule',
  'startAt',
  'endAt',
  'window',
  'maxRuns',
  'target',
  'input',
  'retry',
  'timeout',
  'startDeadline',
  'catchUp',
  'tags',
  'description',
  'group',
  'state',
];

/** An acceptable body in which a few fields, at the top or within, are anything. */
const almostABody = fc
  .array(
    fc.record({
      field: fc.constantFrom(...fields),
      within: fc.option(
        fc.constantFrom('kind', 'url', 'headers', 'maxAttempts', 'maxDelay', 'mode', 'gap', 'x'),
      ),
      value: anyJson,
    }),
    { minLength: 1, maxLength: 3 },
  )
  .map((changes) => {
    const body: Record<string, unknown> = scheduleBody({ retry: {}, catchUp: {}, dst: {}, tags: {} });
    for (const { field, within, value } of changes) {
      const part = body[field];
      body[field] = within !== null && typeof part === 'object' ? { ...part, [within]: value } : value;
    }
    return body;
  });

describe('any body', () => {
  it('of a PUT is stored and given back, or refused', async () => {
    await fc.assert(
      fc.asyncProperty(almostABody, async (body) => {
        const { path } = freshNames();
        const reply = await api.put(path, body);
        expectAnswered(reply, [201, 400], body);
        const found = await api.get(path);
        expect(found.status).toBe(reply.status === 201 ? 200 : 404);
        if (reply.status === 201) expect(found.body).toEqual(reply.body);
      }),
      { numRuns: 300 },
    );
  });

  it('of a PATCH is merged, or refused', async () => {
    const { path } = await created(api, { input: { a: { b: 1 } } });
    await fc.assert(
      fc.asyncProperty(fc.oneof(almostABody, anyJson), async (body) => {
        expectAnswered(await api.patch(path, body), [200, 400], body);
      }),
      { numRuns: 200 },
    );
  });

  it('of a plan is answered, or refused', async () => {
    const plan = fc.record(
      {
        expression: fc.oneof(anyText, fc.array(anyText, { maxLength: 3 })),
        timezone: anyText,
        dst: anyJson,
        exclude: fc.oneof(anyJson, fc.array(anyText, { maxLength: 3 })),
        calendars: fc.oneof(anyJson, fc.array(anyText, { maxLength: 3 })),
        startAt: anyText,
        window: anyText,
        from: anyText,
        to: anyText,
        previous: anyJson,
        count: anyJson,
        schedule: anyText,
      },
      { requiredKeys: ['expression'] },
    );
    await fc.assert(
      fc.asyncProperty(plan, async (body) => {
        expectAnswered(await api.post('/plan', body), [200, 400], body);
      }),
      { numRuns: 300 },
    );
  });
});

describe('any path and query', () => {
  it('is answered, or refused', async () => {
    const part = fc
      .oneof(anyText, fc.constantFrom('schedules', 'occurrences', 'pause', '..', '%2f'))
      .map(encode);
    const paths = fc.array(part, { maxLength: 5 }).map((parts) => `/${parts.join('/')}`);
    const queries = fc
      .array(
        fc.tuple(
          fc.constantFrom('from', 'to', 'status', 'limit', 'cursor', 'count', 'x'),
          anyText.map(encode),
        ),
      )
      .map((pairs) => pairs.map(([name, value]) => `${name}=${value}`).join('&'));
    const { path } = await created(api);
    const known = fc.constantFrom(
      path,
      `${path}/occurrences`,
      `${path}/upcoming`,
      '/schedules',
      '/occurrences/x',
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'),
        fc.oneof(paths, known),
        queries,
        async (method, where, query) => {
          const reply = await api.call(
            method === 'DELETE' && where === path ? 'GET' : method,
            `${where}?${query}`,
          );
          expectAnswered(reply, [200, 201, 202, 204, 400, 404, 405], [method, where, query]);
        },
      ),
      { numRuns: 400 },
    );
  });
});

/** As a client would; text that is no text stays as it is. */
function encode(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    return '%zz';
  }
}
