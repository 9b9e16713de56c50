import { DEFAULT_COMPLETION, defaultOverlap } from '../../../core/schedule/defaults.ts';
import type { Definition } from '../../../core/schedule/definition.ts';
import { kindOf } from '../../../core/targets/index.ts';
import { invalidRequest } from '../../request/field-faults.ts';
import type { ScheduleBody } from '../schema/schedule-schema.ts';

type RunPolicy = Pick<
  Definition,
  | 'overlap'
  | 'concurrency'
  | 'completion'
  | 'heartbeatTimeout'
  | 'retention'
  | 'pauseAfterFailures'
  | 'expectSuccessWithin'
  | 'metrics'
  | 'deleteAfterCompletion'
>;

/** The fields of a definition that say how occurrences run, end and are kept (api/schedules/schema/run-policy-schema.ts). */
export function runPolicyOf(body: ScheduleBody): RunPolicy {
  assertHeartbeat(body);
  return {
    overlap: body.overlap ?? defaultOverlap(body),
    ...(body.concurrency && { concurrency: body.concurrency }),
    completion: body.completion,
    ...(body.heartbeatTimeout !== undefined && { heartbeatTimeout: body.heartbeatTimeout }),
    ...(body.retention !== undefined && { retention: body.retention }),
    ...(body.pauseAfterFailures !== undefined && { pauseAfterFailures: body.pauseAfterFailures }),
    ...(body.expectSuccessWithin !== undefined && { expectSuccessWithin: body.expectSuccessWithin }),
    ...(body.metrics && { metrics: true }),
    // Left off when it is not chosen: a definition of before this field is then the same as one of after it.
    ...(body.deleteAfterCompletion && { deleteAfterCompletion: true }),
  };
}

/** As `runPolicyOf`, with the defaults that a stored definition leaves off. */
export function runPolicyView(definition: Definition) {
  const { overlap, concurrency, heartbeatTimeout, retention, pauseAfterFailures, expectSuccessWithin } =
    definition;
  return {
    overlap,
    ...(concurrency && { concurrency }),
    completion: definition.completion ?? DEFAULT_COMPLETION,
    ...(heartbeatTimeout !== undefined && { heartbeatTimeout }),
    ...(retention !== undefined && { retention }),
    ...(pauseAfterFailures !== undefined && { pauseAfterFailures }),
    ...(expectSuccessWithin !== undefined && { expectSuccessWithin }),
    metrics: definition.metrics ?? false,
    deleteAfterCompletion: definition.deleteAfterCompletion ?? false,
  };
}

/** A heartbeat that nobody can send would be a limit that its author believes in and that does not exist. */
function assertHeartbeat(body: ScheduleBody): void {
  const { heartbeatTimeout, completion, target } = body;
  if (heartbeatTimeout === undefined || completion === 'callback') return;
  if (kindOf(target).mayFinishLater) return;
  const message = `A ${target.kind} target ends with its call. Choose completion "callback", or leave it off.`;
  throw invalidRequest([{ path: ['heartbeatTimeout'], message }], body);
}
