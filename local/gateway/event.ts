import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { LOCAL_ACCOUNT } from '../engine/aws.ts';

/** Content types that API Gateway hands over as text; any other body is base64. */
const TEXT =
  /^(text\/|application\/([\w.-]+\+)?(json|xml|javascript)\b|application\/x-www-form-urlencoded\b)/i;

/** A request as an HTTP API gives it to a function (payload format 2.0). Undefined: the path cannot be decoded. */
export function gatewayEvent(
  request: Pick<IncomingMessage, 'method' | 'url' | 'rawHeaders' | 'httpVersion'>,
  body: Buffer,
  sourceIp: string,
  now: number,
): APIGatewayProxyEventV2 | undefined {
  const { path, query } = splitUrl(request.url ?? '/');
  // Unlike REST APIs and function URLs, an HTTP API hands the path over decoded, `rawPath` too.
  const rawPath = decodePath(path);
  if (rawPath === undefined) return undefined;
  const { headers, cookies } = foldHeaders(request.rawHeaders);
  const queryStringParameters = foldQuery(query);
  const isBase64Encoded = body.length > 0 && !TEXT.test(headers['content-type'] ?? '');
  const domainName = headers.host ?? 'localhost';
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath,
    rawQueryString: query,
    ...(cookies.length > 0 && { cookies }),
    headers,
    ...(queryStringParameters && { queryStringParameters }),
    requestContext: {
      accountId: LOCAL_ACCOUNT,
      apiId: 'local',
      domainName,
      domainPrefix: domainName.split('.')[0] ?? 'localhost',
      http: {
        method: request.method ?? 'GET',
        path: rawPath,
        protocol: `HTTP/${request.httpVersion}`,
        sourceIp,
        userAgent: headers['user-agent'] ?? '',
      },
      requestId: randomUUID(),
      routeKey: '$default',
      stage: '$default',
      time: commonLogTime(now),
      timeEpoch: now,
    },
    ...(body.length > 0 && { body: body.toString(isBase64Encoded ? 'base64' : 'utf8') }),
    isBase64Encoded,
  };
}

function splitUrl(url: string): { path: string; query: string } {
  const mark = url.indexOf('?');
  return mark < 0 ? { path: url, query: '' } : { path: url.slice(0, mark), query: url.slice(mark + 1) };
}

function decodePath(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

/** Names in lower case, repeated ones joined by commas; cookies are a list of their own. */
function foldHeaders(raw: readonly string[]): { headers: Record<string, string>; cookies: string[] } {
  const headers: Record<string, string> = {};
  const cookies: string[] = [];
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = (raw[index] ?? '').toLowerCase();
    const value = raw[index + 1] ?? '';
    if (name === 'cookie') cookies.push(...value.split(';').map((cookie) => cookie.trim()));
    else headers[name] = headers[name] === undefined ? value : `${headers[name]},${value}`;
  }
  return { headers, cookies };
}

function foldQuery(query: string): Record<string, string> | undefined {
  if (query === '') return undefined;
  const folded: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(query)) {
    folded[name] = folded[name] === undefined ? value : `${folded[name]},${value}`;
  }
  return folded;
}

/** `12/Mar/2020:19:03:58 +0000` */
function commonLogTime(now: number): string {
  const [, day, month, year, time] =
    /^\w+, (\d+) (\w+) (\d+) ([\d:]+)/.exec(new Date(now).toUTCString()) ?? [];
  return `${day}/${month}/${year}:${time} +0000`;
}
