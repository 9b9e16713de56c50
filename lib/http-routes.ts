import { HttpMethod } from 'aws-cdk-lib/aws-apigatewayv2';

export interface HttpRouteSpec {
  readonly path: string;
  readonly methods: readonly HttpMethod[];
  /** Which scopes a token needs, where the API takes tokens and asks for scopes. */
  readonly access: 'read' | 'write';
  /** One request plans anew, or touches many records. */
  readonly costly?: true;
}

const { ANY, GET, HEAD, POST } = HttpMethod;
const SCHEDULE = '/schedules/{group}/{name}';

/**
 * The routes of the HTTP API, all to one function, which routes by itself: what is here is only what API Gateway
 * has to tell apart. It prefers a full path to `{proxy+}`, and a method to ANY (AWS: Create routes for HTTP APIs),
 * so whatever is new in the function is a write until it is listed.
 */
export const HTTP_ROUTES: readonly HttpRouteSpec[] = [
  { path: '/', methods: [ANY], access: 'write' },
  { path: '/{proxy+}', methods: [ANY], access: 'write' },
  { path: '/{proxy+}', methods: [GET, HEAD], access: 'read' },
  { path: '/plan', methods: [POST], access: 'read', costly: true },
  { path: `${SCHEDULE}/explain`, methods: [GET], access: 'read', costly: true },
  { path: `${SCHEDULE}/replay`, methods: [POST], access: 'write', costly: true },
  { path: `${SCHEDULE}/backfills`, methods: [POST], access: 'write', costly: true },
];
