import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import type { Invocation } from '../../core/ports/target-caller.ts';
import type { EventBusTarget } from '../../core/targets/aws/event-bus.ts';
import { targetClient } from '../aws/clients.ts';
import { byRegion } from '../by-region.ts';
import { awsCall } from './aws-call.ts';
import { payloadOf } from './payload.ts';

const PERMANENT = new Set(['ResourceNotFoundException', 'ValidationException']);
/** Entry errors that the same event meets again (AWS: API_PutEventsResultEntry). */
const PERMANENT_ENTRY = new Set(['InvalidArgument', 'MalformedDetail', 'NotAuthorizedForSourceException']);

export const EVENT_SOURCE = 'punctual';
export const DEFAULT_DETAIL_TYPE = 'Scheduled Occurrence';

/** Puts one event. EventBridge deduplicates nothing: the idempotency key is in the detail for the rule's target. */
export function createEventBusCaller(
  clientFor: (arn: string) => EventBridgeClient = byRegion((region) =>
    targetClient(EventBridgeClient, { region }),
  ),
) {
  return (target: EventBusTarget, invocation: Invocation, signal: AbortSignal) =>
    awsCall(PERMANENT, signal, async () => {
      const answer = await clientFor(target.eventBusArn).send(
        new PutEventsCommand({
          Entries: [
            {
              EventBusName: target.eventBusArn,
              Source: EVENT_SOURCE,
              DetailType: target.detailType ?? DEFAULT_DETAIL_TYPE,
              Detail: payloadOf(invocation),
              Time: new Date(invocation.scheduledTime),
            },
          ],
        }),
        { abortSignal: signal },
      );
      const [entry] = answer.Entries ?? [];
      if (entry?.ErrorCode === undefined)
        return { kind: 'succeeded', detail: `EventBridge ${entry?.EventId}` };
      const detail = `${entry.ErrorCode}: ${entry.ErrorMessage ?? ''}`;
      return { kind: 'failed', retryable: !PERMANENT_ENTRY.has(entry.ErrorCode), detail };
    });
}
