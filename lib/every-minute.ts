import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { CLOCK_SECONDS } from '../lambdas/contract/topology.ts';

const PERIOD = Duration.seconds(CLOCK_SECONDS);

/**
 * Starts a function each minute. A rule of EventBridge and not EventBridge Scheduler, which AWS prefers
 * for new work: both promise the minute and not the second (the tick's lead covers that), both deliver at
 * least once, the rule is free, needs no role of its own and exists in every emulator that runs the stack.
 */
export class EveryMinute extends Construct {
  constructor(
    scope: Construct,
    id: string,
    props: { readonly target: IFunction; readonly description: string },
  ) {
    super(scope, id);
    new Rule(this, 'Rule', {
      description: props.description,
      schedule: Schedule.rate(PERIOD),
      targets: [
        new LambdaFunction(props.target, {
          // An event that could not be delivered within its minute has been overtaken by the next one.
          maxEventAge: PERIOD,
          retryAttempts: 3,
        }),
      ],
    });
    // A run that failed is not repeated: the next minute does all that it left, and two side by side pay twice.
    props.target.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: PERIOD });
  }
}
