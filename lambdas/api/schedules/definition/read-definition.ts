import { type ScheduleId, splitScheduleId } from '../../../core/ids.ts';
import type { Definition } from '../../../core/schedule/definition.ts';
import { assertNamed } from '../../request/named.ts';
import { parseWith } from '../../request/parse.ts';
import { replaceScheduleBody, type ScheduleBody } from '../schema/schedule-schema.ts';
import { definitionOf } from './definition.ts';

/** The definition in a body that belongs to the path `id`; a body that names another schedule is refused. */
export function definitionFor(id: ScheduleId, body: ScheduleBody): Definition {
  const path = splitScheduleId(id);
  for (const field of ['group', 'name'] as const) assertNamed(field, body[field], path[field]);
  return definitionOf(body);
}

/** As `definitionFor`, for a body that no schema has seen yet. */
export function readDefinition(id: ScheduleId, body: unknown): Definition {
  return definitionFor(id, parseWith(replaceScheduleBody, body));
}
