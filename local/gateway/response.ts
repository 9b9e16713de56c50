/** What goes back to the caller. */
export interface GatewayResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Buffer;
}

/** A function's result as an HTTP API reads it (payload format 2.0). */
export function gatewayResponse(result: unknown): GatewayResponse {
  if (typeof result !== 'object' || result === null || !('statusCode' in result)) {
    // Without a status code the whole result is the body of a 200.
    return jsonResponse(200, typeof result === 'string' ? result : JSON.stringify(result ?? null));
  }
  const { statusCode, headers, cookies, body, isBase64Encoded } = result as {
    statusCode: unknown;
    headers?: Record<string, string | number | boolean>;
    cookies?: string[];
    body?: unknown;
    isBase64Encoded?: boolean;
  };
  const status = Number(statusCode);
  if (!Number.isInteger(status) || status < 100 || status > 599) return INTERNAL_ERROR;
  if (body !== undefined && body !== null && typeof body !== 'string') return INTERNAL_ERROR;
  const named = Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)]);
  return {
    status,
    headers: {
      ...Object.fromEntries(named),
      ...(cookies && cookies.length > 0 && { 'set-cookie': cookies }),
    },
    body: Buffer.from(body ?? '', isBase64Encoded === true ? 'base64' : 'utf8'),
  };
}

const jsonResponse = (status: number, body: string): GatewayResponse => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(body),
});

/** The gateway's own words for what goes wrong around a function. */
const message = (status: number, text: string) => jsonResponse(status, JSON.stringify({ message: text }));
export const INTERNAL_ERROR = message(500, 'Internal Server Error');
export const TIMED_OUT = message(503, 'Service Unavailable');
export const TOO_LARGE = message(413, 'Request Entity Too Large');
export const BAD_REQUEST = message(400, 'Bad Request');
