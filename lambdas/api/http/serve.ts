import type { Hono } from 'hono';
import type * as z from 'zod';
import { parseWith } from '../request/parse.ts';
import type { Endpoint, Input, Mounted } from './endpoint.ts';
import type { AppEnv, Context } from './env.ts';

/** Routes each endpoint to its handler, through its schemas. */
export function serve(app: Hono<AppEnv>, all: readonly Mounted[]): void {
  for (const { endpoint, handler } of all) {
    app.on(endpoint.method.toUpperCase(), endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1'), async (c) => {
      const { status, body, headers } = await handler(inputOf(endpoint, c));
      const sent = body === undefined ? null : JSON.stringify(body);
      return new Response(sent, {
        status,
        headers: { ...(sent !== null && { 'content-type': 'application/json' }), ...headers },
      });
    });
  }
}

function inputOf({ request }: Endpoint, c: Context): Input<Endpoint> {
  return {
    params: parsed(request.params, () => c.req.param()),
    query: parsed(request.query, () => queryOf(c)),
    headers: parsed(request.headers, () => c.req.header()),
    body: request.body && parseWith(request.body, c.var.body),
    caller: c.var.caller,
  };
}

function parsed<Schema extends z.ZodObject>(schema: Schema | undefined, read: () => unknown) {
  return schema && parseWith(schema, read());
}

/** One that is given twice stays a list, which no schema takes: it would be a guess which one is meant. */
function queryOf(c: Context): Record<string, string | string[] | undefined> {
  return Object.fromEntries(
    Object.entries(c.req.queries()).map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
  );
}
