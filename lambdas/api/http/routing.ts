import type { Hono } from 'hono';
import { PunctualError } from '../../core/errors.ts';
import type { AppEnv, Context } from './env.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** The methods that a path has, by asking the router; middleware, which is there for all, does not count. */
function methodsOf(app: Hono<AppEnv>, path: string): string[] {
  return METHODS.filter((method) => {
    // A HEAD is answered as the GET without its body.
    const [found] = app.router.match(method === 'HEAD' ? 'GET' : method, path);
    return found.some(([[, route]]) => route.method !== 'ALL');
  });
}

/** No route: 405 with what the path has, or 404. */
export function unrouted(app: Hono<AppEnv>, c: Context): PunctualError {
  const allowed = methodsOf(app, c.req.path);
  const { method, path } = c.req;
  if (allowed.length === 0) {
    return new PunctualError('route.not-found', 'There is nothing here. GET /openapi.json lists what is.', {
      value: path,
    });
  }
  return new MethodNotAllowed(method, path, allowed);
}

export class MethodNotAllowed extends PunctualError {
  readonly allowed: readonly string[];
  constructor(method: string, path: string, allowed: readonly string[]) {
    const message = `${path} does not take ${method}. It takes ${allowed.join(', ')}.`;
    super('route.method-not-allowed', message, { value: method });
    this.allowed = allowed;
  }
}
