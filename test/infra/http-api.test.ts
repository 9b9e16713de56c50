import { expect, test } from 'vitest';
import { createApp } from '../../lambdas/api/app.ts';
import type { ApiDeps } from '../../lambdas/api/deps.ts';
import { epochMs } from '../../lambdas/core/time.ts';
import { HTTP_ROUTES } from '../../lib/http-routes.ts';
import { propertiesOf, resourcesOf, templateOf, textOf } from './support/synth.ts';

const template = templateOf();

const ROUTES = [
  'ANY /',
  'ANY /{proxy+}',
  'GET /schedules/{group}/{name}/explain',
  'GET /{proxy+}',
  'HEAD /{proxy+}',
  'POST /plan',
  'POST /schedules/{group}/{name}/backfills',
  'POST /schedules/{group}/{name}/replay',
];

const TOKENS = { jwtIssuer: 'https://login.example.com/', jwtAudience: 'punctual,other' };

interface Route {
  readonly RouteKey: string;
  readonly AuthorizationType: string;
  readonly AuthorizerId?: unknown;
  readonly AuthorizationScopes?: readonly string[];
  readonly Target: unknown;
}

function routesOf(settings: Readonly<Record<string, unknown>> = {}): Route[] {
  const routes = resourcesOf(templateOf(settings), 'AWS::ApiGatewayV2::Route');
  return Object.values(routes).map(({ Properties }) => Properties as unknown as Route);
}

test('every route needs a signed request, the health check included', () => {
  expect(
    routesOf()
      .map(({ RouteKey }) => RouteKey)
      .toSorted(),
  ).toEqual(ROUTES);
  for (const { AuthorizationType } of routesOf()) expect(AuthorizationType).toBe('AWS_IAM');
  expect(resourcesOf(template, 'AWS::ApiGatewayV2::Authorizer')).toEqual({});
});

test('with an issuer every route needs one of its tokens instead', () => {
  const authorizers = resourcesOf(templateOf(TOKENS), 'AWS::ApiGatewayV2::Authorizer');
  expect(Object.values(authorizers).map(({ Properties }) => Properties)).toEqual([
    expect.objectContaining({
      AuthorizerType: 'JWT',
      IdentitySource: ['$request.header.Authorization'],
      JwtConfiguration: { Issuer: TOKENS.jwtIssuer, Audience: ['punctual', 'other'] },
    }),
  ]);
  const [authorizer] = Object.keys(authorizers);
  expect(routesOf(TOKENS)).toHaveLength(ROUTES.length);
  for (const { AuthorizationType, AuthorizerId, AuthorizationScopes } of routesOf(TOKENS)) {
    expect(AuthorizationType).toBe('JWT');
    expect(textOf(AuthorizerId)).toBe(`<${authorizer}>`);
    expect(AuthorizationScopes).toBeUndefined();
  }
});

test('reading and writing may take different scopes, and what is not listed takes those for writing', () => {
  const settings = { ...TOKENS, jwtReadScopes: 'read', jwtWriteScopes: 'write,admin' };
  const scopes = routesOf(settings).map(({ RouteKey, AuthorizationScopes }) => [
    RouteKey,
    AuthorizationScopes?.join(' '),
  ]);
  expect(Object.fromEntries(scopes)).toEqual({
    'ANY /': 'write admin',
    'ANY /{proxy+}': 'write admin',
    'GET /{proxy+}': 'read',
    'HEAD /{proxy+}': 'read',
    'POST /plan': 'read',
    'GET /schedules/{group}/{name}/explain': 'read',
    'POST /schedules/{group}/{name}/backfills': 'write admin',
    'POST /schedules/{group}/{name}/replay': 'write admin',
  });
});

test('with scopes for writing only, any token of the issuer reads', () => {
  const reading = routesOf({ ...TOKENS, jwtWriteScopes: 'write' }).filter(
    ({ AuthorizationScopes }) => AuthorizationScopes === undefined,
  );
  expect(reading.map(({ RouteKey }) => RouteKey).toSorted()).toEqual(
    ROUTES.filter((key) => /^(GET|HEAD) |plan/.test(key)),
  );
});

test('routes that are named are endpoints of the function', async () => {
  const app = createApp({ clock: { now: () => epochMs(0) } } as ApiDeps);
  const { paths } = (await (await app.request('/openapi.json')).json()) as {
    paths: Record<string, Record<string, unknown>>;
  };
  for (const { path, methods } of HTTP_ROUTES.filter(({ path }) => !/^\/(\{proxy\+\})?$/.test(path))) {
    for (const method of methods)
      expect(paths[path]?.[method.toLowerCase()], `${method} ${path}`).toBeDefined();
  }
});

test('costly routes have a tenth of the throttle, and are there before their settings', () => {
  const limits = (settings: Readonly<Record<string, unknown>>) =>
    propertiesOf(templateOf(settings), 'AWS::ApiGatewayV2::Stage', 'HttpStage').RouteSettings;
  const costly = ROUTES.filter((key) => /plan|explain|backfills|replay/.test(key));
  const each = (rate: number) =>
    Object.fromEntries(
      costly.map((key) => [key, { ThrottlingRateLimit: rate, ThrottlingBurstLimit: 2 * rate }]),
    );
  expect(limits({})).toEqual(each(5));
  expect(limits({ apiRequestsPerSecond: 3 })).toEqual(each(1));
  const { DependsOn } = resourcesOf(template, 'AWS::ApiGatewayV2::Stage').HttpStage as unknown as {
    DependsOn: string[];
  };
  for (const id of Object.keys(template.findResources('AWS::ApiGatewayV2::Route'))) {
    expect(DependsOn).toContain(id);
  }
});

test('requests go to the api function in payload format 2.0', () => {
  const integrations = Object.values(resourcesOf(template, 'AWS::ApiGatewayV2::Integration'));
  expect(integrations).toHaveLength(1);
  const properties = integrations[0]?.Properties ?? {};
  expect(properties).toMatchObject({ IntegrationType: 'AWS_PROXY', PayloadFormatVersion: '2.0' });
  expect(textOf(properties.IntegrationUri)).toBe('<ApiFunction.Arn>');
});

test('the one stage is throttled and logs who asked for what, but nothing that may be secret', () => {
  const stage = propertiesOf(template, 'AWS::ApiGatewayV2::Stage', 'HttpStage');
  expect(stage).toMatchObject({
    StageName: '$default',
    AutoDeploy: true,
    DefaultRouteSettings: { ThrottlingRateLimit: 50, ThrottlingBurstLimit: 100 },
  });
  const { DestinationArn, Format } = stage.AccessLogSettings as { DestinationArn: unknown; Format: string };
  expect(textOf(DestinationArn)).toBe('<HttpAccessLog.Arn>');
  expect(JSON.parse(Format)).toMatchObject({
    status: '$context.status',
    caller: '$context.identity.userArn',
  });
  expect(Format).not.toMatch(/header|querystring|body/i);
  const withTokens = propertiesOf(templateOf(TOKENS), 'AWS::ApiGatewayV2::Stage', 'HttpStage');
  expect(JSON.parse((withTokens.AccessLogSettings as { Format: string }).Format)).toMatchObject({
    caller: '$context.authorizer.claims.sub',
    client: '$context.authorizer.claims.client_id',
  });
});

test('the throttle is a setting', () => {
  const stage = propertiesOf(
    templateOf({ apiRequestsPerSecond: 500 }),
    'AWS::ApiGatewayV2::Stage',
    'HttpStage',
  );
  expect(stage.DefaultRouteSettings).toEqual({ ThrottlingRateLimit: 500, ThrottlingBurstLimit: 1000 });
});

test('no throttle asks for a larger burst than an account has', () => {
  const stage = propertiesOf(
    templateOf({ apiRequestsPerSecond: 10_000 }),
    'AWS::ApiGatewayV2::Stage',
    'HttpStage',
  );
  expect(stage.DefaultRouteSettings).toEqual({ ThrottlingRateLimit: 10_000, ThrottlingBurstLimit: 5_000 });
});

test('the outputs say where everything is', () => {
  const outputs = Object.entries(template.findOutputs('*')).map(([name, { Value }]) => [name, textOf(Value)]);
  expect(Object.fromEntries(outputs)).toEqual({
    ApiUrl: 'https://<HttpApi>.execute-api.<AWS::Region>.<AWS::URLSuffix>/',
    SchedulesTableName: '<StoreSchedules>',
    OccurrencesTableName: '<StoreOccurrences>',
    WorkQueueUrl: '<QueueWork>',
    DeadLetterQueueUrl: '<QueueDeadLetters>',
    FailedRecordsBucketName: '<FailedRecordsBucket>',
    AlarmTopicArn: '<MonitoringAlarmsTopic>',
  });
});
