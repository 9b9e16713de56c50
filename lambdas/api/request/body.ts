import type { MiddlewareHandler } from 'hono';
import { PunctualError } from '../../core/errors.ts';
import type { AppEnv } from '../http/env.ts';
import { assertShape } from './body-shape.ts';
import { API_LIMITS } from './limits.ts';

const WITH_BODY = new Set(['POST', 'PUT', 'PATCH']);
/** JSON in any dress, `application/merge-patch+json` among them. */
const JSON_TYPE = /^application\/([a-z0-9.-]+\+)?json\s*(;|$)/i;

/**
 * Lets only JSON of bearable size and shape through to the schemas. An empty body stands for `{}`, so that a
 * verb without options needs none, and a create without one is told which fields it lacks.
 */
export const jsonBody: MiddlewareHandler<AppEnv> = async (c, next) => {
  if (WITH_BODY.has(c.req.method)) {
    // The declared size spares reading what is too large anyway; the real one decides.
    assertSize(Number(c.req.header('content-length') ?? 0));
    const bytes = await c.req.arrayBuffer();
    assertSize(bytes.byteLength);
    assertNotEncoded(c.req.header('content-encoding'));
    const text = utf8(bytes);
    if (text !== '') assertJsonType(c.req.header('content-type'));
    const body = text === '' ? {} : parse(text);
    assertShape(body);
    c.set('body', body);
  }
  await next();
};

function assertSize(bytes: number): void {
  if (bytes <= API_LIMITS.bodyBytes) return;
  throw new PunctualError('request.too-large', `The body has more than ${API_LIMITS.bodyBytes} bytes.`, {
    field: 'body',
    value: bytes,
  });
}

/** Nothing is unpacked: what is small on the way could be any size then. */
function assertNotEncoded(encoding: string | undefined): void {
  if (encoding === undefined || /^(identity)?$/i.test(encoding.trim())) return;
  throw new PunctualError('request.media-type', 'The body must be sent as it is, without content-encoding.', {
    field: 'content-encoding',
    value: encoding,
  });
}

/** JSON is UTF-8 (RFC 8259, section 8.1), whatever charset is named; other bytes would be stored as U+FFFD. */
function utf8(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new PunctualError('request.not-json', 'The body is not JSON: it is not UTF-8.', {
      field: 'body',
      cause,
    });
  }
}

function assertJsonType(contentType: string | undefined): void {
  if (contentType !== undefined && JSON_TYPE.test(contentType)) return;
  throw new PunctualError(
    'request.media-type',
    'The body must be JSON: send content-type: application/json.',
    {
      field: 'content-type',
      value: contentType,
    },
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new PunctualError(
      'request.not-json',
      `The body is not JSON: ${(cause as Error).message.slice(0, 200)}`,
      {
        field: 'body',
        cause,
      },
    );
  }
}
