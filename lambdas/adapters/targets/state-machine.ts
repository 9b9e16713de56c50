import { SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import type { Invocation } from '../../core/ports/target-caller.ts';
import type { StateMachineTarget } from '../../core/targets/aws/state-machine.ts';
import { targetClient } from '../aws/clients.ts';
import { byRegion } from '../by-region.ts';
import { awsCall } from './aws-call.ts';
import { payloadOf } from './payload.ts';

const PERMANENT = new Set([
  'StateMachineDoesNotExist',
  'StateMachineDeleting',
  'InvalidArn',
  'InvalidExecutionInput',
  'InvalidName',
  'ValidationException',
]);

/**
 * Starts an execution whose name is the idempotency key: Step Functions keeps names for 90 days, so that an
 * occurrence starts one execution however often it is attempted (AWS: API_StartExecution).
 */
export function createStateMachineCaller(
  clientFor: (arn: string) => SFNClient = byRegion((region) => targetClient(SFNClient, { region })),
) {
  return (target: StateMachineTarget, invocation: Invocation, signal: AbortSignal) =>
    awsCall(PERMANENT, signal, async () => {
      try {
        const answer = await clientFor(target.stateMachineArn).send(
          new StartExecutionCommand({
            stateMachineArn: target.stateMachineArn,
            name: invocation.idempotencyKey,
            input: payloadOf(invocation),
          }),
          { abortSignal: signal },
        );
        return { kind: 'succeeded', detail: `Execution ${answer.executionArn}` };
      } catch (error) {
        // An earlier attempt started it and its answer was lost: that is what the name is for.
        if ((error as Error).name !== 'ExecutionAlreadyExists') throw error;
        return { kind: 'succeeded', detail: `Execution ${invocation.idempotencyKey} was started before` };
      }
    });
}
