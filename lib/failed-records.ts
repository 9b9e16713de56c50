import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import { BlockPublicAccess, Bucket, BucketEncryption } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import type { Config } from './config.ts';

/** The sweep has handed over everything again long before; what stays is for finding the cause. */
const KEEP = Duration.days(30);

/**
 * Stream records that the relay could not hand over. In S3, because only there Lambda keeps the records
 * themselves; a queue or topic gets a pointer into a stream that forgets after a day.
 */
export class FailedRecords extends Construct {
  readonly bucket: Bucket;

  constructor(scope: Construct, id: string, config: Config) {
    super(scope, id);
    const { encryptionKey: key } = config;
    this.bucket = new Bucket(this, 'Bucket', {
      // A bucket key asks KMS once for many objects.
      ...(key
        ? { encryption: BucketEncryption.KMS, encryptionKey: key, bucketKeyEnabled: true }
        : { encryption: BucketEncryption.S3_MANAGED }),
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      enforceSSL: true,
      lifecycleRules: [{ expiration: KEEP, abortIncompleteMultipartUploadAfter: Duration.days(1) }],
      removalPolicy: config.removalPolicy === 'retain' ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    Validations.of(this.bucket).acknowledge({
      id: 'AwsSolutions-S1',
      reason:
        'Written by one Lambda event source mapping and read by operators; CloudTrail tells who read it.',
    });
  }
}
