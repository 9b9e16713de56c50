/** Region and credentials that every local stand-in accepts: none of them checks who asks. */
export const LOCAL_AWS = {
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
} as const;

/** The account that ARNs of the embedded run name. */
export const LOCAL_ACCOUNT = '000000000000';

/** The same as the SDK's standard variables, for handlers that are told nothing else. */
export const LOCAL_AWS_ENV = {
  AWS_REGION: LOCAL_AWS.region,
  AWS_DEFAULT_REGION: LOCAL_AWS.region,
  AWS_ACCESS_KEY_ID: LOCAL_AWS.credentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: LOCAL_AWS.credentials.secretAccessKey,
} as const;
