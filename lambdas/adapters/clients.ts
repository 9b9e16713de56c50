import { LambdaClient } from '@aws-sdk/client-lambda';
import { SQSClient } from '@aws-sdk/client-sqs';

/** SDK clients with the standard configuration of the environment, for the composition roots. */
export const createSqsClient = () => new SQSClient({ maxAttempts: 5 });
export const createLambdaClient = () => new LambdaClient({ maxAttempts: 5 });
