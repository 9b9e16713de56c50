/** What an error of each status means on the routes that document it. */
export const DOCUMENTED_PROBLEMS = {
  400: 'A part of the request is invalid; `field` names it.',
  404: 'Not found.',
  409: 'As it stands now, that cannot be done; for a create, it exists already.',
  412: 'It is not what the precondition says.',
  413: 'The body is too large.',
  415: 'The body is not JSON.',
  422: 'The Idempotency-Key came with another request before.',
  429: 'A limit is reached, which `detail` names with its value and the present use.',
  500: 'A fault of the service; its log has it under `instance`.',
  503: 'Busy; `Retry-After` says when to try again.',
} as const;

export type DocumentedProblem = keyof typeof DOCUMENTED_PROBLEMS;

/** What a request with a body may meet. */
export const BODY_PROBLEMS = [400, 413, 415] as const;

export const ETAG = { ETag: 'The version, for If-Match.' } as const;
export const LOCATION = { Location: 'Where it is.' } as const;
