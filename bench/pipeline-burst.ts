import pMap from 'p-map';
import { createSchedule, ledgerOf } from '../test/support/engine-api.ts';
import type { PartOptions } from './pipeline-part.ts';
import { type Check, ms, percentile, printChecks } from './pipeline-stats.ts';

const GROUP = 'burst';
const CLIENTS = 8;
/** Milliseconds allowed for one create, with room: all must be there before they are due. */
const CREATE_BUDGET = 14;
/** Milliseconds after due within which each must have started, should they start one after the other. */
const START_BUDGET = 15;
/** Engine writes that one occurrence costs from due to done: claim and settle. */
const WRITES_EACH = 2;

interface BurstOptions extends PartOptions {
  readonly jobs: number;
  /** Of the embedded run, with the functions' logs; undefined when it has none. */
  readonly output: readonly string[] | undefined;
}

/** Many one-shots due at the same second: how long until the last has started. */
export async function burst({
  apiUrl,
  receiver,
  floors,
  policy,
  jobs,
  output,
}: BurstOptions): Promise<readonly Check[]> {
  const due = Math.ceil((Date.now() + 10_000 + jobs * CREATE_BUDGET) / 1_000) * 1_000;
  const expression = `at(${new Date(due).toISOString().slice(0, 19)})`;
  const names = Array.from({ length: jobs }, (_, index) => `job-${index}`);
  const startedAt = performance.now();
  await pMap(
    names,
    (name) => createSchedule(apiUrl, { group: GROUP, name, expression, ...policy }, receiver.url),
    {
      concurrency: CLIENTS,
    },
  );
  const createdPerSecond = (jobs / (performance.now() - startedAt)) * 1_000;
  const spare = due - Date.now();

  const limit = Math.max(15_000, jobs * START_BUDGET);
  const ours = () => receiver.arrivals.filter(({ schedule }) => schedule.startsWith(`${GROUP}/`));
  await receiver.until(() => ours().length >= jobs, due + 4 * limit);
  const arrivals = ours();
  const delays = arrivals.map(({ at }) => at - due);
  const [least, p50, last] = [Math.min(...delays), percentile(delays, 50), Math.max(...delays)];
  const perSecond = (arrivals.length / last) * 1_000;

  console.log(`\n${jobs} one-shots due at the same second`);
  console.log(
    `  created at ${createdPerSecond.toFixed(0)}/s, the last ${(spare / 1_000).toFixed(1)} s before due`,
  );
  console.log(
    `  start after due  min ${ms(least)}  p50 ${ms(p50)}  last ${ms(last)}  (${perSecond.toFixed(0)} starts/s)`,
  );
  const share = ((perSecond * WRITES_EACH) / floors.writesPerSecond) * 100;
  console.log(
    `  its ${WRITES_EACH} writes each are ${share.toFixed(0)}% of the engine's raw ${floors.writesPerSecond.toFixed(0)} writes/s`,
  );

  const settled = await settledOnce(apiUrl, names);
  const checks = [
    { what: `all ${jobs} started`, holds: new Set(arrivals.map(({ key }) => key)).size === jobs },
    { what: 'none started twice', holds: new Set(arrivals.map(({ key }) => key)).size === arrivals.length },
    { what: 'none early', holds: least >= 0 },
    { what: `last start within ${ms(limit)} of due`, holds: last <= limit },
    ...(output ? [{ what: 'nothing handed over again', holds: handedOverAgain(output) === 0 }] : []),
    { what: 'each once in the ledger, succeeded at its first attempt', holds: settled === jobs },
  ];
  printChecks(checks);
  return checks;
}

/** What the sweeps say in their logs. */
function handedOverAgain(output: readonly string[]): number {
  const sweeps = output
    .filter((line) => line.includes('"message":"Sweep"'))
    .map((line) => JSON.parse(line) as { readonly redispatched: number });
  if (sweeps.length === 0) throw new Error('No sweep has said anything.');
  return sweeps.reduce((sum, { redispatched }) => sum + redispatched, 0);
}

async function settledOnce(apiUrl: string, names: readonly string[]): Promise<number> {
  const good = await pMap(
    names,
    async (name) => {
      const entries = await ledgerOf(apiUrl, GROUP, name);
      return entries.length === 1 && entries[0]?.status === 'succeeded' && entries[0].attempt === 1;
    },
    { concurrency: CLIENTS },
  );
  return good.filter(Boolean).length;
}
