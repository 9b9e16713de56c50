/**
 * What a next time costs, beside cron-parser and croner, in one run so that the ratios hold on any machine; and a
 * burst of schedules with one expression. Run: `node bench/recurrence.ts`.
 */
import { CronExpressionParser } from 'cron-parser';
import { Cron } from 'croner';
import { compile, compileCached } from '../lambdas/core/recurrence/index.ts';
import { epochMs } from '../lambdas/core/time.ts';

const TIMEZONE = 'America/New_York';
const TYPICAL = ['* * * * *', '*/5 * * * *', '0 * * * *', '0 9 * * 1-5', '30 2 1 * *', '0 0 * * 0'];
const WORST = ['0 0 29 2 *', '0 0 29 2 1', '0 0 * 2 1#5', '0 0 1 1 *'];
const ROUNDS = 9;
const BURST = 60_000;

/** Sixty-four instants spread over a year, DST weeks included. */
const STARTS = Array.from({ length: 64 }, (_, index) => Date.UTC(2026, 0, 1) + index * 137 * 3_600_000);

/** Microseconds a call: the median of the rounds, each at least `budgetMs` long. */
function cost(call: (start: number) => unknown, budgetMs = 25): number {
  const rounds: number[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const begin = performance.now();
    let calls = 0;
    let elapsed = 0;
    while (elapsed < budgetMs) {
      for (const start of STARTS) call(start);
      calls += STARTS.length;
      elapsed = performance.now() - begin;
    }
    // The first round warms up.
    if (round > 0) rounds.push((elapsed / calls) * 1_000);
  }
  return rounds.sort((a, b) => a - b)[Math.floor(rounds.length / 2)] ?? Number.NaN;
}

interface Row {
  readonly expression: string;
  readonly punctual: number;
  readonly compiling: number;
  readonly cronParser: number;
  readonly croner: number;
}

function measure(expression: string): Row {
  const spec = { expression, timezone: TIMEZONE };
  const context = { seed: 'bench/one', anchor: epochMs(0) };
  const recurrence = compile(spec, context);
  const parsed = CronExpressionParser.parse(expression, { tz: TIMEZONE });
  const cron = new Cron(expression, { timezone: TIMEZONE, paused: true });
  return {
    expression,
    punctual: cost((start) => recurrence.next(epochMs(start))),
    compiling: cost((start) => compile(spec, context).next(epochMs(start))),
    cronParser: cost((start) => {
      parsed.reset(new Date(start));
      return parsed.next();
    }),
    croner: cost((start) => cron.nextRun(new Date(start))),
  };
}

function burst(): number {
  const now = epochMs(Date.UTC(2026, 5, 1));
  const begin = performance.now();
  for (let index = 0; index < BURST; index += 1) {
    const spec = { expression: '0 9 * * MON-FRI', timezone: TIMEZONE };
    compileCached(spec, { seed: `bench/schedule-${index}`, anchor: epochMs(index) }).next(now);
  }
  return performance.now() - begin;
}

function print(title: string, rows: readonly Row[]): void {
  const micros = (value: number): string => value.toFixed(2).padStart(10);
  const ratio = (value: number): string => `${value.toFixed(0)}x`.padStart(12);
  console.log(`\n${title} (us; median of ${ROUNDS} rounds)`);
  console.log(
    `${'expression'.padEnd(14)}${'next'.padStart(10)}${'compile+next'.padStart(14)}${'cron-parser'.padStart(13)}` +
      `${'croner'.padStart(10)}${'vs parser'.padStart(12)}${'vs croner'.padStart(12)}`,
  );
  for (const { expression, punctual, compiling, cronParser, croner } of rows)
    console.log(
      `${expression.padEnd(14)}${micros(punctual)}${micros(compiling).padStart(14)}${micros(cronParser).padStart(13)}` +
        `${micros(croner)}${ratio(cronParser / punctual)}${ratio(croner / punctual)}`,
    );
}

console.log(
  `Node ${process.version}, tzdata ${process.versions.tz}, ${TIMEZONE}, ${STARTS.length} start times`,
);
print('Typical', TYPICAL.map(measure));
print('Worst', WORST.map(measure));
burst();
const bursts = Array.from({ length: 5 }, burst).sort((a, b) => a - b);
console.log(`\n${BURST} schedules with one expression: ${(bursts[2] ?? 0).toFixed(0)} ms (median of 5)`);
