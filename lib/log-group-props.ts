import { RemovalPolicy } from 'aws-cdk-lib';
import type { LogGroupProps } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Config } from './config.ts';
import { customerKey } from './customer-key.ts';

/** Logs outlive the stack as the tables do: after a removal by mistake they tell what happened. */
export function logGroupProps(scope: Construct, config: Config): LogGroupProps {
  const key = customerKey(scope, config);
  return {
    // CDK's RetentionDays is an enum of exactly these numbers of days.
    retention: config.logRetentionDays,
    removalPolicy: config.removalPolicy === 'retain' ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    ...(key && { encryptionKey: key }),
  };
}
