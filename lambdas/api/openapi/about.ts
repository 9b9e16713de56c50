/** What the document says of the API as a whole. */
export const INFO = {
  title: 'Punctual',
  version: '0.1.0',
  summary: 'A distributed cron and job scheduler.',
  description:
    'JSON in and out. Errors are problem documents (RFC 9457): `code` is for programs, `detail` says what is wrong and ' +
    'the way out. Lists answer `{ items, cursor }`; the page after is asked for with that cursor.\n\n' +
    'A method that a path does not take is answered 405 with `Allow`; HEAD is answered as GET is, without the body. ' +
    'Paths end without a slash. There is no CORS: browsers of other origins are not served.\n\n' +
    'In a deployment API Gateway stands in front: it answers 401 or 403 to who may not call, ' +
    'and 429 beyond the throttle of the stage, each as `{ "message": … }`.',
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
} as const;

export const TAGS = {
  Schedules: 'Standing instructions: what runs, when, and by which policies. Identified by group and name.',
  Occurrences: 'The ledger: one record for each time of a schedule, with what became of it.',
  Backfills: 'Past times of a schedule, run again in a bounded, resumable way.',
  'Outside work': 'Attempts that are finished from outside: by callback, or by workers that pull.',
  Groups: 'What holds for all schedules of a group.',
  Calendars: 'Closed days that schedules name.',
  Planning: 'What an expression means, without making a schedule.',
  Service: 'The service itself.',
} as const;

export type Tag = keyof typeof TAGS;

/** Who may call is for API Gateway to say; the embedded run lets everybody in. */
export const SECURITY_SCHEMES = {
  sigv4: {
    type: 'apiKey',
    name: 'Authorization',
    in: 'header',
    description:
      'AWS Signature Version 4 for the service `execute-api`, by a principal that is granted `execute-api:Invoke`.',
    'x-amazon-apigateway-authtype': 'awsSigv4',
  },
  token: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'Of the deployment’s issuer and audience, where it takes tokens in place of signatures.',
  },
} as const;
