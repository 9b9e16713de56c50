import { PolicyStatement } from 'aws-cdk-lib/aws-iam';

/** What the worker does with a target of each kind: the service in its ARN, and what follows the account. */
const KINDS = [
  { service: 'lambda', resource: 'function:[\\w*:$-]+', action: 'lambda:InvokeFunction' },
  { service: 'sqs', resource: '[\\w*.-]+', action: 'sqs:SendMessage' },
  { service: 'sns', resource: '[\\w*.-]+', action: 'sns:Publish' },
  { service: 'events', resource: 'event-bus/[\\w*./-]+', action: 'events:PutEvents' },
  { service: 'states', resource: 'stateMachine:[\\w*-]+', action: 'states:StartExecution' },
] as const;

/** A `*` may stand for anything but the service: what is allowed is always of one kind. */
const patterns = KINDS.map(({ service, resource, action }) => ({
  action,
  arn: new RegExp(`^arn:(aws[a-z-]*|\\*):${service}:[\\w*-]+:(\\d{12}|\\*):${resource}$`),
}));

export function isTargetArn(arn: string): boolean {
  return patterns.some((pattern) => pattern.arn.test(arn));
}

/** Nothing by default. What is allowed is what the deployer has named. */
export function targetGrants(arns: readonly string[]): PolicyStatement[] {
  return patterns
    .map(({ action, arn }) => ({ action, resources: arns.filter((one) => arn.test(one)) }))
    .filter(({ resources }) => resources.length > 0)
    .map(({ action, resources }) => new PolicyStatement({ actions: [action], resources }));
}
