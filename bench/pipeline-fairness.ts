import pMap from 'p-map';
import { createSchedule } from '../test/support/engine-api.ts';
import type { Arrival } from '../test/support/engine-receiver.ts';
import type { PartOptions } from './pipeline-part.ts';
import { type Check, ms, printChecks } from './pipeline-stats.ts';

const FLOOD = 'flood';
const OTHER = 'other';
const CLIENTS = 8;
/** Milliseconds allowed for one create, with room. */
const CREATE_BUDGET = 12;
/** Beyond the lead, so that it is a tick that creates the occurrences, as of schedules that stand for long. */
const AHEAD = 130_000;
/** Two starts of one batch may change places. */
const NOISE = 0.02;

/**
 * One group's flood and another group's single job, created last and due at the same second: through tick, relay,
 * queue and workers. The queue here hands out in order of arrival; what SQS makes of `MessageGroupId` is in
 * test/model. What this shows is that nothing before the queue adds to that: the single job, sent last, starts with
 * the last of the flood, and not a tick or a batch later.
 */
export async function fairness({
  apiUrl,
  receiver,
  policy,
  jobs,
}: PartOptions & { readonly jobs: number }): Promise<readonly Check[]> {
  const due = Math.ceil((Date.now() + AHEAD + jobs * CREATE_BUDGET) / 1_000) * 1_000;
  const expression = `at(${new Date(due).toISOString().slice(0, 19)})`;
  const create = (group: string, name: string) =>
    createSchedule(apiUrl, { group, name, expression, ...policy }, receiver.url);
  const names = Array.from({ length: jobs }, (_, index) => `job-${index}`);
  await pMap(names, (name) => create(FLOOD, name), { concurrency: CLIENTS });
  await create(OTHER, 'single');

  const of = (group: string) => receiver.arrivals.filter(({ schedule }) => schedule.startsWith(`${group}/`));
  await receiver.until(() => of(FLOOD).length >= jobs && of(OTHER).length > 0, due + 120_000);
  const delay = ({ at }: Arrival) => at - due;
  const single = Math.min(...of(OTHER).map(delay));
  const last = Math.max(...of(FLOOD).map(delay));

  console.log(`\n${jobs} jobs of one group and one of another, due at the same second`);
  console.log(
    `  the single one starts ${ms(single)} after due, the last of the flood ${ms(last)}: ` +
      `at ${((single / last) * 100).toFixed(0)}% of the flood, in a queue that knows no groups`,
  );
  const checks = [{ what: 'the single job is not behind the flood', holds: single <= last * (1 + NOISE) }];
  printChecks(checks);
  return checks;
}
