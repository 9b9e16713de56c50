import { replaceScheduleBody, type ScheduleBody } from '../contract/api/schedule.ts';
import { type ScheduleId, splitScheduleId } from '../core/ids.ts';
import type { Definition } from '../core/schedule.ts';
import { definitionOf } from './definition.ts';
import { invalidRequest } from './http/faults.ts';
import { parseWith } from './http/parse.ts';

/** The definition in a body that belongs to the path `id`; a body that names another schedule is refused. */
export function definitionFor(id: ScheduleId, body: ScheduleBody): Definition {
  const path = splitScheduleId(id);
  for (const field of ['group', 'name'] as const) {
    if (body[field] === undefined || body[field] === path[field]) continue;
    const message = `It is "${path[field]}" in the path. A schedule cannot be renamed; leave it off.`;
    throw invalidRequest([{ path: [field], message }], body);
  }
  return definitionOf(body);
}

/** As `definitionFor`, for a body that no schema has seen yet. */
export function readDefinition(id: ScheduleId, body: unknown): Definition {
  return definitionFor(id, parseWith(replaceScheduleBody, body));
}
