import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { type Api, createApi } from './api.ts';
import { type Arrivals, collectArrivals } from './arrivals.ts';
import { createDeployed, type Deployed } from './deployed.ts';
import type { Place } from './place.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { createResources, type Resources } from './resources.ts';

/** What stories are told with: a deployed stack, and targets for its schedules. */
export interface World {
  readonly place: Place;
  readonly outputs: Outputs;
  readonly api: Api;
  readonly sqs: SQSClient;
  readonly deployed: Deployed;
  readonly resources: Resources;
  readonly arrivals: Arrivals;
  readonly targets: Targets;
  close(): Promise<void>;
}

export interface Targets {
  readonly sqs: { readonly kind: 'sqs'; readonly queueArn: string };
  readonly lambda: { readonly kind: 'lambda'; readonly functionArn: string };
  /** Undefined where the deployed functions cannot reach this machine. */
  readonly http: { readonly kind: 'http'; readonly url: string } | undefined;
}

export type Outputs = Readonly<Record<string, string>>;

export async function createWorld(
  place: Place,
  stackName: string,
  outputs: Outputs,
  targets: Outputs,
): Promise<World> {
  const { region, credentials, endpoint } = place;
  const config = { region, credentials, ...(endpoint && { endpoint: endpoint.origin }) };
  const sqs = new SQSClient(config);
  const lambda = new LambdaClient(config);
  const others = { dynamodb: new DynamoDBClient(config), events: new EventBridgeClient(config) };
  const arrivals = collectArrivals(sqs, named(targets, 'QueueUrl'));
  const receiver: Receiver | undefined = place.reachesUs ? await startReceiver(arrivals.add) : undefined;
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({
      QueueUrl: named(outputs, 'WorkQueueUrl'),
      AttributeNames: ['QueueArn'],
    }),
  );
  return {
    place,
    outputs,
    api: createApi(place, named(outputs, 'ApiUrl')),
    sqs,
    deployed: createDeployed(lambda, Attributes?.QueueArn ?? ''),
    resources: await createResources({ sqs, lambda, ...others }, stackName),
    arrivals,
    targets: {
      sqs: { kind: 'sqs', queueArn: named(targets, 'QueueArn') },
      lambda: { kind: 'lambda', functionArn: named(targets, 'FunctionArn') },
      http: receiver && { kind: 'http', url: receiver.url },
    },
    async close() {
      await Promise.all([arrivals.close(), receiver?.close()]);
    },
  };
}

export function named(outputs: Outputs, name: string): string {
  const value = outputs[name];
  if (value === undefined) throw new Error(`The stack has no output ${name}.`);
  return value;
}
