import { SQSClient } from '@aws-sdk/client-sqs';
import type { AwsCredentialIdentity, Provider } from '@smithy/types';
import type { Environment } from './command.ts';
import { answers, startMiniStack } from './ministack.ts';
import { CannotStart } from './problem.ts';

/** Where the stack is deployed. The test knows nothing else about it. */
export interface Place {
  readonly title: string;
  readonly region: string;
  readonly credentials: Provider<AwsCredentialIdentity>;
  /** Of an emulator; undefined for AWS. */
  readonly endpoint: URL | undefined;
  /** The account to bootstrap; undefined in AWS, where an account's own bootstrap is not touched. */
  readonly bootstrap: string | undefined;
  /** What is deployed runs on this machine and can call an http target here. */
  readonly reachesUs: boolean;
  /** Settings without which the stack cannot be deployed there. */
  readonly context: Readonly<Record<string, string>>;
  /** For the commands that deploy. */
  readonly env: Environment;
  close(): Promise<void>;
}

/** Emulators take any credentials and have one account. */
const EMULATOR = {
  region: 'us-east-1',
  account: '000000000000',
  credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
} as const;

export interface PlaceOptions {
  readonly env: Environment;
  readonly log: string;
}

/** AWS itself, the emulator that `AWS_ENDPOINT_URL` names, or one that is started for this run. */
export async function openPlace(aws: boolean, options: PlaceOptions): Promise<Place> {
  if (aws) return awsOf(options.env);
  const { AWS_ENDPOINT_URL: given } = options.env;
  return given === undefined || given === '' ? own(options) : running(given, options.env);
}

async function own({ env, log }: PlaceOptions): Promise<Place> {
  const { endpoint, stop } = await startMiniStack({ env: withoutAws(env), log });
  return emulator('MiniStack', endpoint, env, true, stop);
}

async function running(given: string, env: Environment): Promise<Place> {
  const endpoint = URL.canParse(given) ? new URL(given) : undefined;
  if (endpoint === undefined) throw new CannotStart(`AWS_ENDPOINT_URL is "${given}", which is not a URL.`);
  if (!(await answers(endpoint)))
    throw new CannotStart(
      `Nothing answers at ${endpoint.href} (AWS_ENDPOINT_URL): start the emulator, or unset the variable.`,
    );
  return emulator('The emulator', endpoint, env, await runsHere(endpoint), async () => {});
}

/** MiniStack runs functions as processes of its own machine; LocalStack runs them in containers. */
async function runsHere(endpoint: URL): Promise<boolean> {
  if (!['localhost', '127.0.0.1'].includes(endpoint.hostname)) return false;
  const { ok } = await fetch(new URL('/_ministack/health', endpoint));
  return ok;
}

function emulator(
  name: string,
  endpoint: URL,
  env: Environment,
  reachesUs: boolean,
  close: () => Promise<void>,
): Place {
  const { region, account, credentials } = EMULATOR;
  return {
    title: `${name} at ${endpoint.origin}`,
    region,
    credentials: async () => credentials,
    endpoint,
    bootstrap: account,
    reachesUs,
    // MiniStack 1.5.33 has neither composite alarms nor metric math in alarms.
    context: {
      'punctual:monitoring': 'false',
      ...(reachesUs && { 'punctual:httpAllowedRanges': '127.0.0.0/8' }),
    },
    env: {
      ...withoutAws(env),
      AWS_ENDPOINT_URL: endpoint.origin,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
      AWS_REGION: region,
      AWS_DEFAULT_REGION: region,
    },
    close,
  };
}

async function awsOf(env: Environment): Promise<Place> {
  // The SDK's own way of finding them: environment, profiles, SSO, roles.
  const { config } = new SQSClient();
  const region = await config.region().catch(() => {
    throw new CannotStart('There is no AWS Region: set AWS_REGION, or choose a profile that has one.');
  });
  await config.credentials().catch((error) => {
    throw new CannotStart(
      `There are no AWS credentials (${(error as Error).message}): log in, or set AWS_PROFILE.`,
    );
  });
  return {
    title: `AWS, ${region}`,
    region,
    credentials: config.credentials,
    endpoint: undefined,
    bootstrap: undefined,
    reachesUs: false,
    context: {},
    env: { ...env, AWS_REGION: region },
    close: async () => {},
  };
}

/** For an emulator, nothing of an account or of another endpoint may be around. */
function withoutAws(env: Environment): Environment {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !name.startsWith('AWS_') && name !== 'NODE_OPTIONS'),
  );
}
