import { AccessLogField, AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  type CfnStage,
  HttpApi,
  HttpStage,
  type IHttpRouteAuthorizer,
  LogGroupLogDestination,
  PayloadFormatVersion,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpIamAuthorizer, HttpJwtAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Config } from './config.ts';
import { HTTP_ROUTES } from './http-routes.ts';
import { logGroupProps } from './log-group-props.ts';

export interface PunctualHttpApiProps {
  readonly config: Config;
  readonly handler: IFunction;
}

/** AWS: the burst that an account takes in a Region, of all its APIs together. A stage may not ask for more. */
const ACCOUNT_BURST = 5_000;

/** What one route takes: API Gateway counts each by itself, and knows no limit for all routes together. */
function throttleOf(rate: number) {
  return { rateLimit: rate, burstLimit: Math.min(2 * rate, ACCOUNT_BURST) };
}

/** A costly route gets this part of the API's requests a second, and at least one. */
const COSTLY_SHARE = 0.1;

/**
 * The way in: signed requests, or requests with a token of the configured issuer, `/health` among them, since it
 * reads a table for whoever asks. All are handed to one function.
 */
export class PunctualHttpApi extends Construct {
  readonly api: HttpApi;
  readonly url: string;

  constructor(scope: Construct, id: string, { config, handler }: PunctualHttpApiProps) {
    super(scope, id);
    const api = new HttpApi(this, 'Api', {
      apiName: config.name,
      description: 'Schedules and occurrences of Punctual',
      createDefaultStage: false,
      defaultAuthorizer: authorizerOf(config),
    });
    const integration = new HttpLambdaIntegration('Integration', handler, {
      payloadFormatVersion: PayloadFormatVersion.VERSION_2_0,
      // One permission for the whole API: all its routes are this function.
      scopePermissionToRoute: false,
    });
    const scopes = { read: config.jwtReadScopes, write: config.jwtWriteScopes };
    const routes = HTTP_ROUTES.flatMap(({ path, methods, access }) =>
      api.addRoutes({
        path,
        methods: [...methods],
        integration,
        ...(scopes[access].length > 0 && { authorizationScopes: scopes[access] }),
      }),
    );

    // `$default`: no stage name in the path, so that paths are the same here and in the embedded run.
    const stage = new HttpStage(this, 'Stage', {
      httpApi: api,
      stageName: '$default',
      autoDeploy: true,
      throttle: throttleOf(config.apiRequestsPerSecond),
      accessLogSettings: {
        destination: new LogGroupLogDestination(new LogGroup(this, 'AccessLog', logGroupProps(config))),
        format: accessLogFormat(config),
      },
    });
    const cfnStage = stage.node.defaultChild as CfnStage;
    cfnStage.routeSettings = costlySettings(config);
    // A setting for a route that is not there yet is refused.
    stage.node.addDependency(...routes);
    this.api = api;
    this.url = stage.url;
  }
}

function authorizerOf({ jwtIssuer, jwtAudience }: Config): IHttpRouteAuthorizer {
  if (jwtIssuer === undefined) return new HttpIamAuthorizer();
  return new HttpJwtAuthorizer('Tokens', jwtIssuer, { jwtAudience });
}

/** In the words of CloudFormation, which CDK hands on as they are. */
function costlySettings({ apiRequestsPerSecond }: Config) {
  const { rateLimit, burstLimit } = throttleOf(Math.max(1, Math.floor(apiRequestsPerSecond * COSTLY_SHARE)));
  const costly = HTTP_ROUTES.filter((route) => route.costly);
  return Object.fromEntries(
    costly.flatMap(({ path, methods }) =>
      methods.map((method) => [
        `${method} ${path}`,
        { ThrottlingRateLimit: rateLimit, ThrottlingBurstLimit: burstLimit },
      ]),
    ),
  );
}

/** Who asked for what, how it ended and how long it took; no header, query or body, which may hold secrets. */
function accessLogFormat({ jwtIssuer }: Config): AccessLogFormat {
  const caller =
    jwtIssuer === undefined
      ? { caller: AccessLogField.contextIdentityUserArn() }
      : {
          caller: AccessLogField.contextAuthorizerClaims('sub'),
          client: AccessLogField.contextAuthorizerClaims('client_id'),
        };
  return AccessLogFormat.custom(
    JSON.stringify({
      requestId: AccessLogField.contextRequestId(),
      time: AccessLogField.contextRequestTime(),
      ip: AccessLogField.contextIdentitySourceIp(),
      ...caller,
      method: AccessLogField.contextHttpMethod(),
      route: AccessLogField.contextRouteKey(),
      path: AccessLogField.contextPath(),
      status: AccessLogField.contextStatus(),
      bytes: AccessLogField.contextResponseLength(),
      latencyMs: AccessLogField.contextResponseLatency(),
      // Of a refusal by the gateway itself: the authorizer's reason, or that it is throttled.
      error: AccessLogField.contextErrorMessage(),
      errorType: AccessLogField.contextErrorResponseType(),
      authorizerError: AccessLogField.contextAuthorizerError(),
      integrationError: AccessLogField.contextIntegrationErrorMessage(),
    }),
  );
}
