import { Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { expect, test } from 'vitest';
import { stackOf } from './support/synth.ts';

const EVERYTHING = {
  removalPolicy: 'destroy',
  alarmEmail: 'ops@example.com',
  workerMinPollers: 2,
  workerMaxPollers: 20,
  allowedTargets:
    'arn:aws:lambda:*:123456789012:function:report-*,arn:aws:sqs:*:123456789012:orders-*,*.example.com',
  allowedSecrets: 'arn:aws:ssm:*:123456789012:parameter/crm/*,arn:aws:kms:*:123456789012:key/*',
};

test.each([
  ['by default', {}],
  ['with everything switched on', EVERYTHING],
  ['with tokens', { jwtIssuer: 'https://login.example.com/', jwtAudience: 'punctual' }],
])('AwsSolutions has nothing to say, %s', (_, settings) => {
  const { success, violations } = new AwsSolutionsChecks().validateScope(stackOf(settings));
  expect(violations).toEqual([]);
  expect(success).toBe(true);
});

test('what is acknowledged is this, each with a reason', () => {
  const key = Validations.ACKNOWLEDGED_RULES_METADATA_KEY;
  const acknowledged = stackOf()
    .node.findAll()
    .flatMap(({ node }) =>
      node.metadata.filter(({ type }) => type === key).map(({ data }) => [node.path, data]),
    );
  expect(acknowledged).toMatchInlineSnapshot(`
    [
      [
        "Punctual/Default/FailedRecords/Bucket",
        {
          "Annotation::AwsSolutions-S1": "Written by one Lambda event source mapping and read by operators; CloudTrail tells who read it.",
        },
      ],
      [
        "Punctual/Default/Relay/Role",
        {
          "Annotation::AwsSolutions-IAM5[Resource::<FailedRecordsBucket8BDE9169.Arn>/aws/lambda/*]": "Lambda chooses the names of the objects that it keeps failed records in.",
        },
      ],
    ]
  `);
});
