import { RemovalPolicy } from 'aws-cdk-lib';
import type { LogGroupProps } from 'aws-cdk-lib/aws-logs';
import type { Config } from './config.ts';

/** Logs outlive the stack as the tables do: after a removal by mistake they tell what happened. */
export function logGroupProps({ logRetentionDays, removalPolicy, encryptionKey }: Config): LogGroupProps {
  return {
    // CDK's RetentionDays is an enum of exactly these numbers of days.
    retention: logRetentionDays,
    removalPolicy: removalPolicy === 'retain' ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    ...(encryptionKey && { encryptionKey }),
  };
}
