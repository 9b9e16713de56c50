import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseConfig } from '../../lib/config.ts';
import {
  emptyPull,
  type IdleInputs,
  idleMonth,
  type Lines,
  occurrence,
  PRICES,
  sum,
} from '../support/cost.ts';
import { contextOf, propertiesOf, ROOT, resourcesOf, templateOf } from './support/synth.ts';

/** Levels that sweeps and ticks report whatever they are (lambdas/contract/metrics.ts). */
const REPORTED_EACH_MINUTE = 5;
/** What its one occurrence a minute keeps reported: its own success, occurrences created and dispatched. */
const OF_THE_CANARY = 3;
const page = readFileSync(`${ROOT}docs/cost.md`, 'utf8');
const MILLION = 1e6;

const money = (dollars: number) => dollars.toFixed(2);

function inputsOf(settings: Readonly<Record<string, unknown>>): IdleInputs {
  const config = parseConfig(contextOf(settings));
  const template = templateOf(settings);
  const alarms = Object.values(resourcesOf(template, 'AWS::CloudWatch::Alarm')).map(
    ({ Properties }) => Properties.Metrics as { MetricStat?: unknown }[] | undefined,
  );
  return {
    shards: config.shardCount,
    shardsPerInvocation: config.shardsPerInvocation,
    canary: config.canary,
    // An alarm on an expression is billed by the metrics in it.
    alarmMetrics: alarms.reduce(
      (total, metrics) => total + (metrics?.filter(({ MetricStat }) => MetricStat).length ?? 1),
      0,
    ),
    compositeAlarms: Object.keys(resourcesOf(template, 'AWS::CloudWatch::CompositeAlarm')).length,
    dashboards: Object.keys(resourcesOf(template, 'AWS::CloudWatch::Dashboard')).length,
    metrics: REPORTED_EACH_MINUTE + (config.canary ? OF_THE_CANARY : 0),
    tickGigabytes: config.tickMemoryMb / 1024,
    key: config.kmsKeyArn !== undefined,
  };
}

/** The rows of the table under a heading of docs/cost.md. */
function rowsUnder(heading: string): string[] {
  const [, section = ''] = page.split(`## ${heading}\n`);
  const [own = ''] = section.split('\n## ');
  return own.split('\n').filter((line) => /^\| (?!what|---)/.test(line));
}

const rowOf = ([what, ...dollars]: readonly [string, ...number[]]) =>
  `| ${what} | ${dollars.map(money).join(' | ')} |`;

function together(...columns: readonly Lines[]): string[] {
  const [first = []] = columns;
  const rows = first.map(([what], index) =>
    rowOf([what, ...columns.map((lines) => lines[index]?.[1] ?? Number.NaN)]),
  );
  return [...rows, rowOf(['**sum**', ...columns.map(sum)])];
}

test('docs/cost.md has what an idle month costs, with the alarms and dashboards that there are', () => {
  const key = 'arn:aws:kms:eu-west-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab';
  const least = { shardCount: 1, shardsPerInvocation: 1, canary: false };
  const [usual, small] = [idleMonth(inputsOf({})), idleMonth(inputsOf(least))];
  const withKey = idleMonth(inputsOf({ kmsKeyArn: key }));
  const rest = withKey.slice(usual.length);
  // A column that has no such line has nothing to pay.
  const filled = (lines: Lines): Lines =>
    withKey.map(([what]) => lines.find(([name]) => name === what) ?? [what, 0]);
  expect(rest.map(([what]) => what)).toEqual(['KMS key', 'requests to KMS']);
  expect(rowsUnder('An idle month')).toEqual(together(filled(usual), filled(small), withKey));
});

test('docs/cost.md has what a million occurrences cost', () => {
  const million = (lines: Lines): Lines => lines.map(([what, dollars]) => [what, dollars * MILLION]);
  expect(rowsUnder('A million occurrences')).toEqual(
    together(
      million(occurrence('eachMinute', 10)),
      million(occurrence('daily', 10)),
      million(occurrence('daily', 10, true)),
      million(occurrence('daily', 1, true)),
    ),
  );
});

test('docs/cost.md has what it costs to ask an empty pull queue', () => {
  const memory = propertiesOf(templateOf(), 'AWS::Lambda::Function', 'ApiFunction').MemorySize as number;
  const asking = (waitSeconds: number, everySeconds: number) =>
    emptyPull({ waitSeconds, everySeconds, gigabytes: memory / 1024 });
  expect(rowsUnder('Pull queues')).toEqual(together(asking(20, 0), asking(0, 10), asking(0, 60)));
});

test('prices are on the page', () => {
  for (const price of [PRICES.writeUnit, PRICES.readUnit, PRICES.fairQueueRequest, PRICES.invocation]) {
    expect(page).toContain(
      `$${(price * MILLION)
        .toFixed(3)
        .replace(/0+$/, '')
        .replace(/\.(\d)$/, '.$10')}`,
    );
  }
});
