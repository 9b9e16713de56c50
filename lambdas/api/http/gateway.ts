import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import type { Hono } from 'hono';
import type { AppEnv } from './env.ts';

/**
 * An HTTP API's event (payload format 2.0) as a request, and the response as its result. Hono's adapter puts the
 * decoded path into a URL as it is: of `/schedules/g/n%23x` it makes `/schedules/g/n`, of `n%3FdryRun=true` a
 * query, it drops headers without a value, and gives up on a GET with a body.
 */
export async function answerEvent(
  app: Pick<Hono<AppEnv>, 'fetch'>,
  event: APIGatewayProxyEventV2,
  lambdaContext: Pick<Context, 'awsRequestId'>,
): Promise<APIGatewayProxyStructuredResultV2> {
  const response = await app.fetch(requestOf(event), {
    requestContext: event.requestContext,
    lambdaContext,
  });
  return {
    statusCode: response.status,
    headers: Object.fromEntries(response.headers),
    body: await response.text(),
    isBase64Encoded: false,
  };
}

/** A host of no meaning: nothing is made of the caller's, which may be no host at all. */
const ORIGIN = 'https://api.invalid';

/** The runtime makes no request of these (Fetch: forbidden methods); they are taken for one that no path has. */
const FORBIDDEN = /^(connect|trace|track)$/i;

function requestOf(event: APIGatewayProxyEventV2): Request {
  const { method } = event.requestContext.http;
  const url = new URL(`${ORIGIN}${pathOf(event.rawPath)}`);
  url.search = event.rawQueryString;
  const headers = new Headers();
  for (const [name, value] of Object.entries(event.headers)) {
    // A header cannot hold more than Latin-1; what stands in is nothing that a schema takes.
    if (value !== undefined) headers.set(name, value.replaceAll(/[^\t\x20-\xff]/g, '\xff'));
  }
  const hasBody = event.body !== undefined && method !== 'GET' && method !== 'HEAD';
  return new Request(url, {
    method: FORBIDDEN.test(method) ? 'OPTIONS' : method,
    headers,
    ...(hasBody && { body: Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8') }),
  });
}

/**
 * The path, which API Gateway has decoded, such that a URL keeps all of it: neither a query nor a fragment begins
 * within, `\` is no `/`, line ends are not dropped, and `..` does not lead elsewhere.
 */
function pathOf(decoded: string): string {
  return decoded
    .toWellFormed()
    .split('/')
    .map((part) =>
      /^(\.|%2e){1,2}$/i.test(part)
        ? part.replaceAll('%', '%25').replaceAll('.', '%252E')
        : part.replaceAll(/[^A-Za-z0-9\-._~!$&'()*+,;=:@%]/gu, encodeURIComponent),
    )
    .join('/');
}
