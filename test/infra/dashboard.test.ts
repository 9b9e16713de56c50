import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { METRIC, METRIC_NAMESPACE } from '../../lambdas/contract/metrics.ts';
import { alarmsOf } from '../support/alarms/template.ts';
import { propertiesOf, ROOT, templateOf, textOf } from './support/synth.ts';

interface Widget {
  readonly type: string;
  readonly properties: {
    readonly title: string;
    readonly metrics?: readonly unknown[][];
    readonly alarms?: readonly string[];
    readonly query?: string;
  };
}

const { DashboardName, DashboardBody } = propertiesOf(
  templateOf(),
  'AWS::CloudWatch::Dashboard',
  'MonitoringDashboardPage',
);
const { widgets } = JSON.parse(textOf(DashboardBody)) as { widgets: Widget[] };
const onDashboard = widgets.flatMap(({ properties }) => properties.metrics ?? []);

test('the dashboard is called like the stack', () => {
  expect(DashboardName).toBe('Punctual');
});

test('it shows every alarm and the composite one', () => {
  const shown = widgets.flatMap(({ properties }) => properties.alarms ?? []);
  expect(shown).toHaveLength(alarmsOf().size + 1);
  expect(shown.toSorted()[0]).toContain('<Monitoring');
});

test('every own metric is on it or on an alarm, and it shows none that does not exist', () => {
  const own = onDashboard.flatMap(([namespace, name]) =>
    namespace === METRIC_NAMESPACE ? [String(name)] : [],
  );
  expect(Object.values<string>(METRIC)).toEqual(expect.arrayContaining(own));
  const alarmed = [...alarmsOf().values()].flatMap(({ metrics }) => metrics.map(({ name }) => name));
  const seen = new Set([...own, ...alarmed]);
  expect(Object.values<string>(METRIC).filter((name) => !seen.has(name))).toEqual([]);
});

test('start delay is shown at its median, its 99th percentile and its maximum', () => {
  const statistics = onDashboard
    .filter(([, name]) => name === METRIC.startDelayMs)
    .map((metric) => (metric.at(-1) as { stat: string }).stat);
  expect(statistics).toEqual(['p50', 'p99', 'Maximum']);
});

test('queries read the log of the worker, and ask for the line that it writes', () => {
  const queries = widgets.flatMap(({ type, properties }) => (type === 'log' ? [properties.query ?? ''] : []));
  expect(queries).toHaveLength(2);
  const source = readFileSync(`${ROOT}lambdas/worker/message.ts`, 'utf8');
  for (const query of queries) {
    expect(query).toMatch(/^SOURCE '<WorkerLogs>'/);
    const [, message = ''] = query.match(/filter message = "(\w+)"/) ?? [];
    expect(source).toContain(`logger.info('${message}'`);
  }
});

test('every own metric is emitted by some function', () => {
  const sources = globSync('lambdas/{adapters,api,relay,sweep,tick,worker}/**/*.ts', {
    cwd: ROOT,
  }).map((path) => readFileSync(`${ROOT}${path}`, 'utf8'));
  const code = sources.join('\n');
  expect(Object.keys(METRIC).filter((key) => !code.includes(`METRIC.${key}`))).toEqual([]);
});
