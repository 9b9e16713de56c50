import { ForbiddenAddressError } from './address-guard.ts';

/** What went wrong, by node's code or OpenSSL's reason. What OpenSSL and node's own parser say of it is for those who build them. */
const SAYING: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Nobody listens there',
  ECONNRESET: 'The connection was reset before an answer came',
  EPIPE: 'The connection was closed before the request was written',
  ETIMEDOUT: 'The connection could not be made in time',
  EHOSTUNREACH: 'There is no route to it',
  ENETUNREACH: 'There is no route to it',
  ENOTFOUND: 'There is no such host name',
  EAI_AGAIN: 'The name could not be resolved for now',
  CERT_HAS_EXPIRED: 'Its certificate has expired',
  CERT_NOT_YET_VALID: 'Its certificate is not valid yet',
  CERT_REVOKED: 'Its certificate has been revoked',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'It signed its certificate itself, and no authority did',
  SELF_SIGNED_CERT_IN_CHAIN: 'Its certificate leads to an authority that is not trusted',
  UNABLE_TO_GET_ISSUER_CERT: 'Its certificate leads to an authority that is not known',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'Its certificate leads to an authority that is not known',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'Its certificate cannot be verified: the authority is not known, or the server leaves out part of the chain',
  ERR_TLS_CERT_ALTNAME_INVALID: 'Its certificate is for another host',
  // Reasons of OpenSSL behind EPROTO: what came first is no record of TLS.
  'wrong version number': 'It does not speak TLS on this port',
  'packet length too long': 'It does not speak TLS on this port',
  'http request': 'It does not speak TLS on this port',
  HPE_HEADER_OVERFLOW: 'Its headers are larger than 16 KB',
};

/** Kinds of codes, where each of a kind means the same to a person. */
const KINDS: readonly (readonly [RegExp, string])[] = [
  [/^HPE_/, 'What it sent is not HTTP/1.1'],
  [/^(EPROTO|ERR_SSL_|ERR_TLS_)/, 'TLS could not be agreed on'],
  [/CERT|ISSUER|SIGNATURE|CRL/, 'Its certificate cannot be verified'],
];

/** The code in an error of OpenSSL that node gives no better one: `…:SSL routines:…:wrong version number:…`. */
const OPENSSL_REASON = /:SSL routines:[^:]*:([^:]+):/;

/** A fault of the network in a plain sentence with its code; undefined for what is none. */
export function sayFault(error: unknown, host: string): string | undefined {
  if (!(error instanceof Error) || error instanceof ForbiddenAddressError) return undefined;
  const { code } = firstOf(error);
  if (typeof code !== 'string') return undefined;
  const reason = OPENSSL_REASON.exec(error.message)?.[1];
  const said = SAYING[reason ?? ''] ?? SAYING[code] ?? KINDS.find(([pattern]) => pattern.test(code))?.[1];
  if (said === undefined) return undefined;
  return `${host}: ${said} (${[code, reason].filter(Boolean).join(': ')}).`;
}

/** Of a name with several addresses the fault of the first one, and of what was wrapped the fault within. */
function firstOf(error: Error): NodeJS.ErrnoException {
  if (error instanceof AggregateError) return error.errors[0] ?? error;
  return 'code' in error || !(error.cause instanceof Error) ? error : error.cause;
}
