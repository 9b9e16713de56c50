import type { Context as HonoContext } from 'hono';
import type { Caller } from '../deps.ts';

/** What the function hands on of its event (gateway.ts), as far as it is used; absent where the app is called directly. */
export interface LambdaBindings {
  readonly requestContext?: {
    readonly requestId?: string;
    readonly authorizer?: {
      readonly iam?: { readonly userArn?: string };
      readonly jwt?: { readonly claims?: Readonly<Record<string, unknown>> };
    };
  };
  readonly lambdaContext?: { readonly awsRequestId?: string };
}

export interface AppEnv {
  readonly Bindings: LambdaBindings;
  readonly Variables: { caller: Caller; body: unknown };
}

export type Context = HonoContext<AppEnv>;

/** API Gateway's id of the request, which its access log has too, or else the invocation's. */
export function requestIdOf(bindings: LambdaBindings | undefined): string {
  return bindings?.requestContext?.requestId ?? bindings?.lambdaContext?.awsRequestId ?? 'none';
}

/**
 * Who signed the request (the ARN that IAM knows), or whose token it carries: `<subject> (<issuer>)`, since a subject
 * is one of its issuer only. A token of a program may name its client instead (RFC 9068). `anonymous`: nobody was
 * asked, as in the local run; API Gateway lets no such request through.
 */
export function principalOf(bindings: LambdaBindings | undefined): string {
  const { iam, jwt } = bindings?.requestContext?.authorizer ?? {};
  if (iam?.userArn !== undefined) return iam.userArn;
  const { sub, client_id: client, iss } = jwt?.claims ?? {};
  if (typeof iss !== 'string') return 'anonymous';
  return `${typeof sub === 'string' ? sub : typeof client === 'string' ? client : 'somebody'} (${iss})`;
}
