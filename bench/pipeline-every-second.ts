import { createSchedule, deleteSchedule } from '../test/support/engine-api.ts';
import type { PartOptions } from './pipeline-part.ts';
import { type Check, ms, percentile, printChecks } from './pipeline-stats.ts';

const GROUP = 'bench';
const NAME = 'every-second';

/** One schedule that fires each second: how punctual a start is when nothing else is going on. */
export async function everySecond({
  apiUrl,
  receiver,
  floors,
  policy,
  seconds,
}: PartOptions & { readonly seconds: number }): Promise<readonly Check[]> {
  await createSchedule(
    apiUrl,
    { group: GROUP, name: NAME, expression: '* * * * * *', ...policy },
    receiver.url,
  );
  // Counted from the second full second on: the first may come due while it is being created.
  const first = Math.ceil(Date.now() / 1_000) * 1_000 + 1_000;
  const last = first + (seconds - 1) * 1_000;
  const ours = () =>
    receiver.arrivals.filter(
      ({ schedule, scheduledTime }) =>
        schedule === `${GROUP}/${NAME}` && scheduledTime >= first && scheduledTime <= last,
    );
  await receiver.until(() => ours().length >= seconds, last + 10_000);
  await deleteSchedule(apiUrl, GROUP, NAME);

  const arrivals = ours();
  const delays = arrivals.map(({ at, scheduledTime }) => at - scheduledTime);
  const [p50, p99, least, most] = [
    percentile(delays, 50),
    percentile(delays, 99),
    Math.min(...delays),
    Math.max(...delays),
  ];
  console.log(`\nOne schedule each second, ${seconds} s`);
  console.log(`  start delay  p50 ${ms(p50)}  p99 ${ms(p99)}  min ${ms(least)}  max ${ms(most)}`);
  console.log(
    `  p50 is ${(p50 / floors.roundTripMs).toFixed(1)} x a loopback round trip of ${ms(floors.roundTripMs)}`,
  );
  const checks = [
    {
      what: `each of ${seconds} seconds exactly once`,
      holds: once(
        arrivals.map(({ scheduledTime }) => scheduledTime),
        seconds,
      ),
    },
    { what: 'none early', holds: least >= 0 },
    { what: 'p50 at most 60 ms', holds: p50 <= 60 },
    { what: 'p99 at most 300 ms', holds: p99 <= 300 },
  ];
  printChecks(checks);
  return checks;
}

const once = (values: readonly number[], expected: number) =>
  values.length === expected && new Set(values).size === expected;
