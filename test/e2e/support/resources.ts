import { type DynamoDBClient, paginateListTables } from '@aws-sdk/client-dynamodb';
import { type EventBridgeClient, ListRulesCommand } from '@aws-sdk/client-eventbridge';
import {
  type LambdaClient,
  paginateListEventSourceMappings,
  paginateListFunctions,
} from '@aws-sdk/client-lambda';
import { paginateListQueues, type SQSClient } from '@aws-sdk/client-sqs';

/** What there is of a stack and of the stack of its targets, by service and name. */
export interface Resources {
  /** When they had been deployed. */
  readonly before: readonly string[];
  now(): Promise<readonly string[]>;
}

interface Clients {
  readonly dynamodb: DynamoDBClient;
  readonly events: EventBridgeClient;
  readonly lambda: LambdaClient;
  readonly sqs: SQSClient;
}

/** Asks the services and not CloudFormation, which forgets what it has failed to delete. */
export async function createResources(clients: Clients, stackName: string): Promise<Resources> {
  const now = () => list(clients, `${stackName}-`);
  return { before: await now(), now };
}

async function list({ dynamodb, events, lambda, sqs }: Clients, prefix: string): Promise<readonly string[]> {
  const found: string[] = [];
  const add = (kind: string, name: string | undefined) => {
    if (name?.includes(prefix)) found.push(`${kind} ${name}`);
  };
  for await (const { TableNames = [] } of paginateListTables({ client: dynamodb }, {}))
    for (const name of TableNames) add('table', name);
  for await (const { QueueUrls = [] } of paginateListQueues({ client: sqs }, { QueueNamePrefix: prefix }))
    for (const url of QueueUrls) add('queue', url);
  for await (const { Functions = [] } of paginateListFunctions({ client: lambda }, {}))
    for (const { FunctionName } of Functions) add('function', FunctionName);
  for await (const { EventSourceMappings = [] } of paginateListEventSourceMappings({ client: lambda }, {}))
    for (const { FunctionArn } of EventSourceMappings) add('mapping', FunctionArn);
  const { Rules = [] } = await events.send(new ListRulesCommand({ NamePrefix: prefix }));
  for (const { Name } of Rules) add('rule', Name);
  return found;
}
