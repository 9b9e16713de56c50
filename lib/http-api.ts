import { Stack } from 'aws-cdk-lib';
import { AccessLogField, AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  HttpApi,
  HttpMethod,
  HttpStage,
  LogGroupLogDestination,
  PayloadFormatVersion,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpIamAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Config } from './config.ts';
import { logGroupProps } from './log-group-props.ts';

export interface PunctualHttpApiProps {
  readonly config: Config;
  readonly handler: IFunction;
}

/** The way in: signed requests only, `/health` among them, all handed to one function that does the routing. */
export class PunctualHttpApi extends Construct {
  readonly url: string;

  constructor(scope: Construct, id: string, { config, handler }: PunctualHttpApiProps) {
    super(scope, id);
    const api = new HttpApi(this, 'Api', {
      apiName: Stack.of(this).stackName,
      description: 'Schedules and occurrences of Punctual',
      createDefaultStage: false,
      defaultAuthorizer: new HttpIamAuthorizer(),
    });
    const integration = new HttpLambdaIntegration('Integration', handler, {
      payloadFormatVersion: PayloadFormatVersion.VERSION_2_0,
      // One permission for the whole API: all its routes are this function.
      scopePermissionToRoute: false,
    });
    for (const path of ['/', '/{proxy+}']) {
      api.addRoutes({ path, methods: [HttpMethod.ANY], integration });
    }

    // `$default`: no stage name in the path, so that paths are the same here and in the embedded run.
    const stage = new HttpStage(this, 'Stage', {
      httpApi: api,
      stageName: '$default',
      autoDeploy: true,
      throttle: { rateLimit: config.apiRequestsPerSecond, burstLimit: 2 * config.apiRequestsPerSecond },
      accessLogSettings: {
        destination: new LogGroupLogDestination(new LogGroup(this, 'AccessLog', logGroupProps(config))),
        format: ACCESS_LOG_FORMAT,
      },
    });
    this.url = stage.url;
  }
}

/** Who asked for what, how it ended and how long it took; no header, query or body, which may hold secrets. */
const ACCESS_LOG_FORMAT = AccessLogFormat.custom(
  JSON.stringify({
    requestId: AccessLogField.contextRequestId(),
    time: AccessLogField.contextRequestTime(),
    ip: AccessLogField.contextIdentitySourceIp(),
    caller: AccessLogField.contextIdentityUserArn(),
    method: AccessLogField.contextHttpMethod(),
    path: AccessLogField.contextPath(),
    status: AccessLogField.contextStatus(),
    latencyMs: AccessLogField.contextResponseLatency(),
    error: AccessLogField.contextErrorMessage(),
    integrationError: AccessLogField.contextIntegrationErrorMessage(),
  }),
);
