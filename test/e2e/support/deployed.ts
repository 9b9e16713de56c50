import {
  GetFunctionConfigurationCommand,
  type GetFunctionConfigurationCommandOutput,
  type LambdaClient,
  ListEventSourceMappingsCommand,
  UpdateFunctionConfigurationCommand,
} from '@aws-sdk/client-lambda';
import { until } from './until.ts';

/** The worker as Lambda has it. */
export interface Deployed {
  worker(): Promise<GetFunctionConfigurationCommandOutput>;
  /** For as long as `during` takes, the platform kills each worker that runs for so many seconds. */
  withWorkerTimeout<Result>(seconds: number, during: () => Promise<Result>): Promise<Result>;
}

export function createDeployed(lambda: LambdaClient, workQueueArn: string): Deployed {
  async function worker() {
    const { EventSourceMappings: [mapping] = [] } = await lambda.send(
      new ListEventSourceMappingsCommand({ EventSourceArn: workQueueArn }),
    );
    if (mapping?.FunctionArn === undefined) throw new Error(`No function reads ${workQueueArn}.`);
    return lambda.send(new GetFunctionConfigurationCommand({ FunctionName: mapping.FunctionArn }));
  }

  async function setTimeout(FunctionName: string | undefined, Timeout: number | undefined): Promise<void> {
    await lambda.send(new UpdateFunctionConfigurationCommand({ FunctionName, Timeout }));
    await until('the worker is configured', 60_000, async () => {
      const { LastUpdateStatus } = await worker();
      return LastUpdateStatus === 'InProgress' ? undefined : LastUpdateStatus;
    });
  }

  return {
    worker,
    async withWorkerTimeout(seconds, during) {
      const { FunctionName, Timeout } = await worker();
      await setTimeout(FunctionName, seconds);
      try {
        return await during();
      } finally {
        await setTimeout(FunctionName, Timeout);
      }
    },
  };
}
