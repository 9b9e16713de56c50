import type { ApiDeps } from '../deps.ts';
import { BODY_PROBLEMS } from '../http/documented-problems.ts';
import { answer, endpoint, mounted } from '../http/endpoint.ts';
import { assertNamed } from '../request/named.ts';
import { groupBody, groupParams, groupView } from './group-schema.ts';
import { getGroup, setGroup } from './settings.ts';

const tag = 'Groups';
const path = '/groups/{group}';

const getEndpoint = endpoint({
  method: 'get',
  path,
  operationId: 'getGroup',
  tag,
  summary: 'Read the settings of a group',
  description:
    'Includes the present use. A group exists as soon as a schedule names it; without settings it has no limit.',
  request: { params: groupParams },
  responses: { 200: { description: 'The settings.', schema: groupView } },
  problems: [400],
});

const putEndpoint = endpoint({
  method: 'put',
  path,
  operationId: 'setGroup',
  tag,
  summary: 'Set the limits of a group',
  description:
    'The concurrency limit applies everywhere within ten seconds, quotas at once. Existing schedules stay: a ' +
    'quota below the present use only refuses growth, with 429. The first quota counts the existing schedules; ' +
    'sending it again counts any that were missed.',
  request: { params: groupParams, body: groupBody },
  responses: { 200: { description: 'The settings.', schema: groupView } },
  problems: BODY_PROBLEMS,
});

const deleteEndpoint = endpoint({
  method: 'delete',
  path,
  operationId: 'resetGroup',
  tag,
  summary: 'Remove the settings of a group',
  description: 'Its schedules stay.',
  request: { params: groupParams },
  responses: { 204: { description: 'The settings are removed.' } },
  problems: [400],
});

const NONE = { concurrencyLimit: null, maxSchedules: null, maxFiresPerMinute: null, maxInputBytes: null };

export const groupRoutes = (deps: ApiDeps) => [
  mounted(getEndpoint, async ({ params, caller }) =>
    answer(200, await getGroup(deps, params.group, caller.now)),
  ),

  mounted(putEndpoint, async ({ params, body, caller }) => {
    const { group, use: _, ...settings } = body;
    assertNamed('group', group, params.group);
    return answer(200, await setGroup(deps, params.group, settings, caller));
  }),

  mounted(deleteEndpoint, async ({ params, caller }) => {
    await setGroup(deps, params.group, NONE, caller);
    return answer(204, undefined);
  }),
];
