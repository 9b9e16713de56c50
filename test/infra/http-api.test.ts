import { expect, test } from 'vitest';
import { propertiesOf, resourcesOf, templateOf, textOf } from './support/synth.ts';

const template = templateOf();

test('every route needs a signed request, the health check included', () => {
  const routes = Object.values(resourcesOf(template, 'AWS::ApiGatewayV2::Route')).map(
    ({ Properties }) => Properties,
  );
  expect(routes.map(({ RouteKey }) => RouteKey).toSorted()).toEqual(['ANY /', 'ANY /{proxy+}']);
  for (const { AuthorizationType } of routes) expect(AuthorizationType).toBe('AWS_IAM');
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
});

test('the throttle is a setting', () => {
  const stage = propertiesOf(
    templateOf({ apiRequestsPerSecond: 500 }),
    'AWS::ApiGatewayV2::Stage',
    'HttpStage',
  );
  expect(stage.DefaultRouteSettings).toEqual({ ThrottlingRateLimit: 500, ThrottlingBurstLimit: 1000 });
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
