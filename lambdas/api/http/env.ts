import type { Context as HonoContext } from 'hono';
import type { Caller } from '../deps.ts';

/** What hono's Lambda adapter hands on, as far as it is used; absent where the app is called directly. */
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

/** Who signed the request, or whose token it carries. */
export function principalOf(bindings: LambdaBindings | undefined): string {
  const authorizer = bindings?.requestContext?.authorizer;
  const subject = authorizer?.jwt?.claims?.sub;
  return authorizer?.iam?.userArn ?? (typeof subject === 'string' ? subject : 'anonymous');
}
