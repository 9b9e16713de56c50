import { Aws, Stack } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import type { Config } from './config.ts';

/** Where alarms go. */
export class AlarmTopic extends Construct {
  readonly topic: Topic;

  constructor(scope: Construct, id: string, config: Config) {
    super(scope, id);
    const { encryptionKey: key } = config;
    this.topic = new Topic(this, 'Topic', {
      displayName: 'Punctual alarms',
      enforceSSL: true,
      ...(key && { masterKey: key }),
    });
    // A topic without a policy lets its account publish; one with a policy (SSL above) lets nobody it does
    // not name, and alarms would fire in silence.
    this.topic.addToResourcePolicy(
      new PolicyStatement({
        sid: 'AlarmsOfThisAccount',
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [this.topic.topicArn],
        conditions: {
          StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID },
          ArnLike: {
            'aws:SourceArn': Stack.of(this).formatArn({ service: 'cloudwatch', resource: 'alarm:*' }),
          },
        },
      }),
    );
    const { alarmEmail: email } = config;
    if (email !== undefined) this.topic.addSubscription(new EmailSubscription(email));
  }
}
