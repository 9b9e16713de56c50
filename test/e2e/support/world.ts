import { LambdaClient } from '@aws-sdk/client-lambda';
import { SQSClient } from '@aws-sdk/client-sqs';
import { type Api, createApi } from './api.ts';
import { type Arrivals, collectArrivals } from './arrivals.ts';
import type { Place } from './place.ts';

/** What stories are told with: a deployed stack, and targets for its schedules. */
export interface World {
  readonly place: Place;
  readonly stackName: string;
  readonly outputs: Readonly<Record<string, string>>;
  readonly api: Api;
  readonly sqs: SQSClient;
  readonly lambda: LambdaClient;
  readonly arrivals: Arrivals;
  readonly targets: {
    readonly sqs: { readonly kind: 'sqs'; readonly queueArn: string };
    readonly lambda: { readonly kind: 'lambda'; readonly functionArn: string };
  };
  close(): Promise<void>;
}

type Outputs = Readonly<Record<string, string>>;

export function createWorld(
  place: Place,
  stackName: string,
  outputs: Outputs,
  targetOutputs: Outputs,
): World {
  const { region, credentials, endpoint } = place;
  const config = { region, credentials, ...(endpoint && { endpoint: endpoint.origin }) };
  const sqs = new SQSClient(config);
  const arrivals = collectArrivals(sqs, named(targetOutputs, 'QueueUrl'));
  return {
    place,
    stackName,
    outputs,
    api: createApi(place, named(outputs, 'ApiUrl')),
    sqs,
    lambda: new LambdaClient(config),
    arrivals,
    targets: {
      sqs: { kind: 'sqs', queueArn: named(targetOutputs, 'QueueArn') },
      lambda: { kind: 'lambda', functionArn: named(targetOutputs, 'FunctionArn') },
    },
    close: () => arrivals.close(),
  };
}

function named(outputs: Outputs, name: string): string {
  const value = outputs[name];
  if (value === undefined) throw new Error(`The stack has no output ${name}.`);
  return value;
}
