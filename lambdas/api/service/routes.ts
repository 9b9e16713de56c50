import { toIso } from '../../core/time.ts';
import type { ApiDeps } from '../deps.ts';
import { BODY_PROBLEMS } from '../http/documented-problems.ts';
import { answer, endpoint, mounted } from '../http/endpoint.ts';
import { checkHealth } from './health.ts';
import { healthView } from './health-schema.ts';
import { planExpression } from './plan-expression.ts';
import { planBody, planView } from './plan-schema.ts';
import { reportZones } from './zones-report.ts';
import { zonesQuery, zonesReport } from './zones-schema.ts';

const planEndpoint = endpoint({
  method: 'post',
  path: '/plan',
  operationId: 'planExpression',
  tag: 'Planning',
  summary: 'Preview an expression',
  description: 'Lists the times at which it would fire, without creating a schedule.',
  request: { body: planBody },
  responses: { 200: { description: 'The times.', schema: planView } },
  problems: BODY_PROBLEMS,
});

const zonesEndpoint = endpoint({
  method: 'get',
  path: '/zones/report',
  operationId: 'reportZones',
  tag: 'Service',
  summary: 'Schedules whose next time new zone data moves',
  description:
    'The tick moves them once it runs with the new data; they are listed until that time is planned.',
  request: { query: zonesQuery },
  responses: { 200: { description: 'Those in one page of schedules.', schema: zonesReport } },
  problems: [400],
});

const healthEndpoint = endpoint({
  method: 'get',
  path: '/health',
  operationId: 'checkHealth',
  tag: 'Service',
  summary: 'Whether the API and its tables answer',
  request: {},
  responses: { 200: { description: 'They do.', schema: healthView } },
  problems: [],
});

export const serviceRoutes = (deps: ApiDeps) => [
  mounted(planEndpoint, async ({ body, caller }) =>
    answer(200, await planExpression(deps.schedules, body, caller.now)),
  ),

  mounted(zonesEndpoint, async ({ query, caller }) =>
    answer(200, await reportZones(deps, query, caller.now)),
  ),

  mounted(healthEndpoint, async ({ caller }) => {
    await checkHealth(deps);
    return answer(200, { status: 'ok' as const, time: toIso(caller.now) });
  }),
];
