import { RECEIVER_PATH } from '../receiver.ts';

/** What to do next, ready to paste. */
export function banner(apiUrl: string, kept: string): string {
  const body = {
    group: 'demo',
    name: 'hello',
    expression: '*/10 * * * * *',
    timezone: 'UTC',
    target: { kind: 'http', url: `${apiUrl}${RECEIVER_PATH}` },
    input: { hello: 'world' },
  };
  return `
Punctual is running; ${kept}. Ctrl-C stops it.

  API  ${apiUrl}

A schedule that calls a receiver in this process every 10 seconds:

  curl -sS ${apiUrl}/schedules -H 'content-type: application/json' -d '${JSON.stringify(body)}'

What became of its times up to now, and how to stop it:

  curl -sS "${apiUrl}/schedules/demo/hello/occurrences?limit=5"
  curl -sS -X DELETE ${apiUrl}/schedules/demo/hello
`;
}
