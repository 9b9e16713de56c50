import { fileURLToPath } from 'node:url';
import { Duration } from 'aws-cdk-lib';
import { Policy, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, LoggingFormat, type RecursiveLoop, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogLevel, NodejsFunction, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { EnvironmentOf } from '../lambdas/contract/env.ts';
import { SERVICE_VARIABLE } from '../lambdas/contract/metrics.ts';
import { FUNCTIONS, type FunctionName } from '../lambdas/contract/topology.ts';
import type { Config } from './config.ts';
import { logGroupProps } from './log-group-props.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

export interface PunctualFunctionProps<Env> {
  /** A folder of lambdas/ with a handler.ts. */
  readonly folder: FunctionName;
  readonly description: string;
  /** What the topology says, where it is no setting. */
  readonly memorySize?: number;
  /** What it is told, and what it may touch: side by side, so that neither is forgotten. */
  readonly environment: EnvironmentOf<Env>;
  readonly grants: readonly PolicyStatement[];
  readonly recursiveLoop?: RecursiveLoop;
  /** Kept for it out of the account's, and its most; undefined: it shares what all share. */
  readonly reservedConcurrentExecutions?: number | undefined;
}

/**
 * Sources of credentials that no function has: files, processes, single sign-on, web identities. A function's are in its
 * environment or come from its container. The SDK imports these only when it looks there, and they are 90 kB.
 */
const UNUSED_CREDENTIALS = ['ini', 'process', 'sso', 'web-identity'].map(
  (source) => `@aws-sdk/credential-provider-${source}`,
);

/** What all functions have in common. Each has its own role and its own log group. */
export class PunctualFunction<Env> extends Construct {
  readonly lambda: NodejsFunction;
  readonly role: Role;

  constructor(scope: Construct, id: string, config: Config, props: PunctualFunctionProps<Env>) {
    super(scope, id);
    const logGroup = new LogGroup(this, 'Logs', logGroupProps(config));
    // Not the managed AWSLambdaBasicExecutionRole: it may write to every log group of the account.
    this.role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    this.role.addToPolicy(
      new PolicyStatement({
        actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
        resources: [logGroup.logGroupArn],
      }),
    );
    for (const grant of props.grants) this.role.addToPolicy(grant);

    const { folder, grants: _, reservedConcurrentExecutions: reserved, ...settings } = props;
    const { timeoutSeconds, memoryMb } = FUNCTIONS[folder];
    this.lambda = new NodejsFunction(this, 'Function', {
      memorySize: memoryMb,
      timeout: Duration.seconds(timeoutSeconds),
      ...settings,
      ...(reserved !== undefined && { reservedConcurrentExecutions: reserved }),
      entry: `${ROOT}lambdas/${folder}/handler.ts`,
      projectRoot: ROOT,
      depsLockFilePath: `${ROOT}package-lock.json`,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      role: this.role,
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      // That variable is for version 2 of the SDK; version 3 keeps connections by itself.
      awsSdkConnectionReuse: false,
      // Reading the map costs a cold start some 50 ms; a minified trace costs an operator more.
      environment: {
        ...props.environment,
        [SERVICE_VARIABLE]: config.name,
        NODE_OPTIONS: '--enable-source-maps',
      },
      bundling: {
        format: OutputFormat.ESM,
        mainFields: ['module', 'main'],
        target: 'node24',
        minify: true,
        // The SDK too: the version that was tested runs, and a bundled one starts faster than the runtime's.
        externalModules: UNUSED_CREDENTIALS,
        // Without the sources themselves: a stack trace names file and line, and the map stays small.
        sourceMap: true,
        sourcesContent: false,
        logLevel: LogLevel.WARNING,
      },
    });
  }

  /**
   * A grant that names this function itself. It is a policy of its own because the function waits for its
   * role's policy, which therefore cannot wait for the function.
   */
  grantApart(id: string, ...statements: PolicyStatement[]): void {
    new Policy(this, id, { roles: [this.role], statements });
  }
}
