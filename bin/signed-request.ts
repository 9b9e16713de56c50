import { defaultProvider } from '@aws-sdk/credential-provider-node';
import { Hash } from '@smithy/core/serde';
import { HttpRequest } from '@smithy/core/transport';
import { SignatureV4 } from '@smithy/signature-v4';
import type { AwsCredentialIdentity, Provider } from '@smithy/types';

export interface Signing {
  readonly region: string;
  readonly service: string;
  /** Where credentials come from; by default where the AWS command line looks: environment, profiles, SSO, roles. */
  readonly credentials?: AwsCredentialIdentity | Provider<AwsCredentialIdentity>;
  /** The date of the signature, which AWS takes for five minutes; now by default. */
  readonly now?: Date;
}

/** A request as `fetch` takes it, signed with AWS Signature Version 4. */
export async function signedRequest(
  url: URL,
  {
    method = 'GET',
    headers = {},
    body,
  }: { method?: string; headers?: Record<string, string>; body?: string },
  { region, service, credentials = defaultProvider(), now = new Date() }: Signing,
): Promise<Request> {
  const signer = new SignatureV4({ region, service, credentials, sha256: Hash.bind(null, 'sha256') });
  const request = new HttpRequest({
    method,
    protocol: url.protocol,
    hostname: url.hostname,
    path: url.pathname,
    query: queryOf(url),
    headers: { ...headers, host: url.host },
    body,
  });
  const signed = await signer.sign(request, { signingDate: now });
  return new Request(url, { method, headers: signed.headers, ...(body !== undefined && { body }) });
}

function queryOf({ searchParams }: URL): Record<string, string | string[]> {
  return Object.fromEntries(
    [...new Set(searchParams.keys())].map((name) => [name, searchParams.getAll(name)]),
  );
}
