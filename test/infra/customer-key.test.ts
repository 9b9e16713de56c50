import { Validations } from 'aws-cdk-lib';
import type { Template } from 'aws-cdk-lib/assertions';
import { AwsSolutionsChecks } from 'cdk-nag';
import { describe, expect, test } from 'vitest';
import { propertiesOf, resourcesOf, stackOf, templateOf, textOf } from './support/synth.ts';

const KEY = 'arn:aws:kms:eu-west-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab';
const template = templateOf({ kmsKeyArn: KEY });

const propertiesOfAll = (of: Template, type: string) =>
  Object.values(resourcesOf(of, type)).map(({ Properties }) => Properties);

interface Statement {
  readonly Action: string | string[];
  readonly Resource: unknown;
  readonly Condition?: { readonly StringEquals?: { readonly 'kms:ViaService'?: unknown } };
}

/** `<role>: <actions> via <service>`, for each statement about KMS. */
function rightsToKeys(of: Template): string[] {
  return propertiesOfAll(of, 'AWS::IAM::Policy').flatMap(({ Roles, PolicyDocument }) =>
    (PolicyDocument as { Statement: Statement[] }).Statement.flatMap(({ Action, Resource, Condition }) => {
      const actions = [Action].flat().filter((action) => action.startsWith('kms:'));
      if (actions.length === 0) return [];
      expect(Resource).toBe(KEY);
      expect(actions).toHaveLength([Action].flat().length);
      const via = textOf(Condition?.StringEquals?.['kms:ViaService']);
      const short = actions.map((action) => action.replace('kms:', '')).join(' ');
      return (Roles as unknown[]).map((role) => `${textOf(role)} ${short} via ${via}`);
    }),
  );
}

const host = (service: string) => `${service}.<AWS::Region>.<AWS::URLSuffix>`;
const TABLES = `Decrypt DescribeKey Encrypt GenerateDataKey GenerateDataKeyWithoutPlaintext ReEncryptFrom ReEncryptTo via ${host('dynamodb')}`;
const SENDING = `Decrypt GenerateDataKey via ${host('sqs')}`;

/** The whole of what the stack may do with the key: never by itself, always through the service that asks for it. */
const RIGHTS = [
  `<ApiRole> ${TABLES}`,
  `<RelayRole> Decrypt DescribeKey via ${host('dynamodb')}`,
  `<RelayRole> GenerateDataKey via ${host('s3')}`,
  `<RelayRole> ${SENDING}`,
  `<SweepRole> ${TABLES}`,
  `<TickRole> ${TABLES}`,
  `<WorkerRole> ${SENDING}`,
  `<WorkerRole> ${TABLES}`,
];

describe('with a key of the deployer', () => {
  test('both tables are encrypted with it', () => {
    const tables = propertiesOfAll(template, 'AWS::DynamoDB::Table');
    expect(tables).toHaveLength(2);
    for (const { SSESpecification } of tables) {
      expect(SSESpecification).toEqual({ SSEEnabled: true, SSEType: 'KMS', KMSMasterKeyId: KEY });
    }
  });

  test('both queues are, and ask for a data key every five minutes', () => {
    const queues = propertiesOfAll(template, 'AWS::SQS::Queue');
    expect(queues).toHaveLength(2);
    for (const queue of queues) {
      expect(queue).toMatchObject({ KmsMasterKeyId: KEY, KmsDataKeyReusePeriodSeconds: 300 });
      expect(queue).not.toHaveProperty('SqsManagedSseEnabled');
    }
  });

  test('topic, bucket and every log group are', () => {
    for (const topic of propertiesOfAll(template, 'AWS::SNS::Topic')) expect(topic.KmsMasterKeyId).toBe(KEY);
    expect(propertiesOf(template, 'AWS::S3::Bucket', 'FailedRecordsBucket').BucketEncryption).toEqual({
      ServerSideEncryptionConfiguration: [
        {
          BucketKeyEnabled: true,
          ServerSideEncryptionByDefault: { SSEAlgorithm: 'aws:kms', KMSMasterKeyID: KEY },
        },
      ],
    });
    const groups = propertiesOfAll(template, 'AWS::Logs::LogGroup');
    expect(groups.length).toBeGreaterThanOrEqual(6);
    for (const group of groups) expect(group.KmsKeyId).toBe(KEY);
  });

  test('no key is created and the policy of theirs is left alone', () => {
    expect(Object.keys(template.toJSON().Resources).length).toBe(
      Object.keys(templateOf().toJSON().Resources).length,
    );
    expect(resourcesOf(template, 'AWS::KMS::Key')).toEqual({});
  });

  test('roles may use it for what they do, through the service, and for nothing else', () => {
    expect(rightsToKeys(template).toSorted()).toEqual(RIGHTS.toSorted());
  });

  test('AwsSolutions has nothing to say, and no rule more is acknowledged', () => {
    const acknowledged = (settings: Readonly<Record<string, unknown>>) => {
      const stack = stackOf(settings);
      const { violations } = new AwsSolutionsChecks().validateScope(stack);
      const reasons = stack.node
        .findAll()
        .flatMap(({ node }) =>
          node.metadata.filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY),
        );
      return { violations, reasons: reasons.length };
    };
    const { violations, reasons } = acknowledged({ kmsKeyArn: KEY });
    expect(violations).toEqual([]);
    expect(reasons).toBe(acknowledged({}).reasons);
  });
});

test('without one nothing in the template speaks of KMS', () => {
  expect(JSON.stringify(templateOf().toJSON())).not.toMatch(/kms/i);
});
