import { groupBody, groupParams, groupView } from '../../contract/api/group.ts';
import type { ApiDeps } from '../deps.ts';
import { getGroup, setGroup } from '../group-settings.ts';
import { BODY_PROBLEMS } from '../http/documented-problems.ts';
import { answer, endpoint, mounted } from '../http/endpoint.ts';

const tag = 'Groups';
const path = '/groups/{group}';

const getEndpoint = endpoint({
  method: 'get',
  path,
  operationId: 'getGroup',
  tag,
  summary: 'Read the settings of a group',
  description: 'A group is there as soon as it is named; without settings it has no limit.',
  request: { params: groupParams },
  responses: { 200: { description: 'The settings.', schema: groupView } },
  problems: [400],
});

const putEndpoint = endpoint({
  method: 'put',
  path,
  operationId: 'setGroup',
  tag,
  summary: 'Set what holds for all schedules of a group',
  description: 'In force everywhere after ten seconds. What runs already goes on.',
  request: { params: groupParams, body: groupBody },
  responses: { 200: { description: 'The settings.', schema: groupView } },
  problems: BODY_PROBLEMS,
});

const deleteEndpoint = endpoint({
  method: 'delete',
  path,
  operationId: 'resetGroup',
  tag,
  summary: 'Take the settings of a group back',
  description: 'Its schedules stay.',
  request: { params: groupParams },
  responses: { 204: { description: 'It has none.' } },
  problems: [400],
});

export const groupRoutes = (deps: ApiDeps) => [
  mounted(getEndpoint, async ({ params }) => answer(200, await getGroup(deps, params.group))),

  mounted(putEndpoint, async ({ params, body }) => answer(200, await setGroup(deps, params.group, body))),

  mounted(deleteEndpoint, async ({ params }) => {
    await setGroup(deps, params.group, { concurrencyLimit: null });
    return answer(204, undefined);
  }),
];
