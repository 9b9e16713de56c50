import { Hono } from 'hono';
import { backfillRoutes } from './backfills/routes.ts';
import { calendarRoutes } from './calendars/routes.ts';
import type { ApiDeps } from './deps.ts';
import { groupRoutes } from './groups/routes.ts';
import type { Mounted } from './http/endpoint.ts';
import { type AppEnv, principalOf, requestIdOf } from './http/env.ts';
import { problemResponse } from './http/problem.ts';
import { MethodNotAllowed, unrouted } from './http/routing.ts';
import { serve } from './http/serve.ts';
import { occurrenceRoutes } from './occurrences/routes.ts';
import { occurrenceVerbs } from './occurrences/verb-routes.ts';
import { documentRoute } from './openapi/routes.ts';
import { comingRoutes } from './overrides/routes.ts';
import { outsideRoutes } from './pull/routes.ts';
import { jsonBody } from './request/body.ts';
import { scheduleRoutes } from './schedules/routes/schedules.ts';
import { scheduleVerbs } from './schedules/routes/verbs.ts';
import { serviceRoutes } from './service/routes.ts';

/** The HTTP API. What a request needs from outside is in `deps` or in hono's bindings: it reads nothing else. */
export function createApp(deps: ApiDeps): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  const routes: Mounted[] = [
    ...scheduleRoutes(deps),
    ...scheduleVerbs(deps),
    ...occurrenceRoutes(deps),
    ...occurrenceVerbs(deps),
    ...comingRoutes(deps),
    ...outsideRoutes(deps),
    ...groupRoutes(deps),
    ...calendarRoutes(deps),
    ...backfillRoutes(deps),
    ...serviceRoutes(deps),
  ];
  routes.push(documentRoute(routes));

  app.use(async (c, next) => {
    const requestId = requestIdOf(c.env);
    // The one reading of the clock: all that a request does happens at one time.
    c.set('caller', { now: deps.clock.now(), requestId, principal: principalOf(c.env) });
    await next();
  });
  app.use(jsonBody);
  serve(app, routes);
  app.notFound((c) => {
    throw unrouted(app, c);
  });
  app.onError((error, c) => {
    const response = problemResponse(error, requestIdOf(c.env), deps.logger);
    if (error instanceof MethodNotAllowed) response.headers.set('allow', error.allowed.join(', '));
    return response;
  });
  return app;
}
