import { LocalRunError } from './errors.ts';
import type { Host } from './host.ts';
import { clockTime, duration } from './output/lines.ts';
import { createReceiver, RECEIVER_PATH, type Received } from './receiver.ts';
import { run } from './run.ts';

const GROUP = 'demo';
const NAME = 'every-5-seconds';

const NEXT = `
That was the whole pipeline: tick, stream, relay, queue, worker, target. Next:

  npm start          the same with an API to talk to, keeping its data in .punctual/
  npx cdk deploy     the same handlers in your AWS account
`;

/** Starts on its own, schedules a call every five seconds and shows the calls as they arrive. */
export function demo(port: number): Promise<void> {
  return run({
    port,
    directory: undefined,
    showChanges: false,
    beside: createReceiver((received) => {
      if (received.schedule === `${GROUP}/${NAME}`) process.stdout.write(`${row(received)}\n`);
    }),
    farewell: NEXT,
    async onStarted(host) {
      await createSchedule(host);
      process.stdout.write(`
A schedule that fires every 5 seconds calls a receiver in this process. Ctrl-C ends the demo.
It can be looked at meanwhile: curl -sS ${host.apiUrl}/schedules/${GROUP}/${NAME}

scheduled  start delay  attempt  idempotency key
`);
    },
  });
}

async function createSchedule({ apiUrl }: Host): Promise<void> {
  const response = await fetch(`${apiUrl}/schedules`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      group: GROUP,
      name: NAME,
      expression: '*/5 * * * * *',
      timezone: 'UTC',
      target: { kind: 'http', url: `${apiUrl}${RECEIVER_PATH}` },
    }),
  });
  if (response.ok) return;
  throw new LocalRunError(`The demo's schedule was refused (${response.status}): ${await response.text()}`);
}

function row({ at, scheduledTime, attempt, idempotencyKey }: Received): string {
  const columns = [
    clockTime(scheduledTime).padEnd(9),
    duration(at - scheduledTime).padStart(11),
    String(attempt).padStart(7),
    idempotencyKey,
  ];
  return columns.join('  ');
}
