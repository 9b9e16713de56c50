import {
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IAlarm,
  type IMetric,
  type IWidget,
  LogQueryVisualizationType,
  LogQueryWidget,
  PeriodOverride,
  Stats,
} from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import { METRIC, type MetricName } from '../lambdas/contract/metrics.ts';
import { MINUTE, type Watched } from './alarms/spec.ts';

/** A dashboard is 24 columns wide. */
const HALF = { width: 12, height: 6 };
const PER_MINUTE = { statistic: Stats.SUM, period: MINUTE };

/**
 * One page that tells how it stands: what alarms say, what is late, what goes through, how it ended, who needs most.
 * Metrics have no dimension but the deployment, since each one more would be paid for by the month; what is asked of
 * single groups and schedules is answered from the worker's log, and paid for only while somebody looks.
 */
export class PunctualDashboard extends Construct {
  constructor(scope: Construct, id: string, watched: Watched, alarms: readonly IAlarm[]) {
    super(scope, id);
    new Dashboard(this, 'Page', {
      dashboardName: watched.config.name,
      // As the alarms see it, however long the stretch that is looked at.
      periodOverride: PeriodOverride.INHERIT,
      widgets: [
        [new AlarmStatusWidget({ title: 'Alarms', alarms: [...alarms], width: 24, height: 5 })],
        [startDelay(watched), lag(watched)],
        [backlog(watched), throughput(watched)],
        [outcomes(watched), recovery(watched)],
        [functions(watched), edges(watched)],
        topTalkers(watched),
      ],
    });
  }
}

function graph(title: string, left: IMetric[], right: IMetric[] = []): IWidget {
  return new GraphWidget({ title, ...HALF, left, right, leftYAxis: { min: 0 }, rightYAxis: { min: 0 } });
}

/** Sums of own metrics under the words that people use for them. */
function sums({ own }: Watched, labels: Partial<Record<MetricName, string>>): IMetric[] {
  return Object.entries(labels).map(([name, label]) => own(name as MetricName, Stats.SUM).with({ label }));
}

const startDelay = ({ own }: Watched) =>
  graph(
    'Start delay: due to started, first attempts (ms)',
    [Stats.p(50), Stats.p(99), Stats.MAXIMUM].map((statistic) =>
      own(METRIC.startDelayMs, statistic).with({ label: statistic }),
    ),
  );

const lag = ({ own, functions: { relay } }: Watched) =>
  graph(
    'How far behind (s)',
    [
      own(METRIC.oldestOverdueSeconds, Stats.MAXIMUM).with({ label: 'oldest overdue' }),
      own(METRIC.oldestUnclaimedSeconds, Stats.MAXIMUM).with({ label: 'oldest unclaimed (pull)' }),
      own(METRIC.shardLagSeconds, Stats.MAXIMUM).with({ label: 'planning' }),
      own(METRIC.clockBehindSeconds, Stats.MAXIMUM).with({ label: 'the clock, where it was set back' }),
    ],
    [
      relay.metric('IteratorAge', {
        statistic: Stats.MAXIMUM,
        period: MINUTE,
        label: 'relay, stream age (ms)',
      }),
    ],
  );

const backlog = ({ own, workQueue }: Watched) => {
  const gauge = { statistic: Stats.MAXIMUM, period: MINUTE };
  return graph('Backlog', [
    own(METRIC.overdueOccurrences, Stats.MAXIMUM).with({ label: 'overdue' }),
    own(METRIC.openOccurrences, Stats.MAXIMUM).with({ label: 'open: due, not ended' }),
    workQueue.metricApproximateNumberOfMessagesVisible({ ...gauge, label: 'queued' }),
    workQueue.metricApproximateNumberOfMessagesDelayed({ ...gauge, label: 'delayed: not due yet' }),
    workQueue.metricApproximateNumberOfMessagesNotVisible({ ...gauge, label: 'with workers' }),
  ]);
};

const throughput = (watched: Watched) =>
  graph(
    'Throughput (a minute)',
    sums(watched, {
      [METRIC.occurrencesMaterialised]: 'materialised',
      [METRIC.occurrencesDispatched]: 'dispatched',
      [METRIC.attemptsSucceeded]: 'attempts that succeeded',
      [METRIC.attemptsFailed]: 'attempts that failed',
    }),
    sums(watched, { [METRIC.ticksCompleted]: 'ticks completed' }),
  );

const outcomes = (watched: Watched) =>
  new GraphWidget({
    title: 'Outcomes (a minute)',
    ...HALF,
    stacked: true,
    left: sums(watched, {
      // One success is the end of an occurrence.
      [METRIC.attemptsSucceeded]: 'succeeded',
      [METRIC.occurrencesFailed]: 'failed',
      [METRIC.occurrencesMissed]: 'missed',
      [METRIC.occurrencesSkipped]: 'skipped',
      [METRIC.timesCoalesced]: 'left out by catch-up',
    }),
    right: sums(watched, { [METRIC.schedulesPaused]: 'schedules that paused themselves' }),
    leftYAxis: { min: 0 },
    rightYAxis: { min: 0 },
  });

const recovery = (watched: Watched) =>
  graph(
    'Recovery (a minute)',
    sums(watched, {
      [METRIC.leasesExpired]: 'leases expired',
      [METRIC.occurrencesRedispatched]: 'handed over again',
      [METRIC.messagesRejected]: 'messages rejected',
      [METRIC.materialiseRacesLost]: 'planning races lost (normal)',
    }),
    [
      watched.deadLetters.metricApproximateNumberOfMessagesVisible({
        statistic: Stats.MAXIMUM,
        period: MINUTE,
        label: 'on the dead-letter queue',
      }),
    ],
  );

const functions = ({ functions: all }: Watched) =>
  graph(
    'Functions: errors and refused starts (a minute)',
    Object.entries(all).map(([name, one]) => one.metricErrors({ ...PER_MINUTE, label: `${name} errors` })),
    Object.entries(all).map(([name, one]) =>
      one.metricThrottles({ ...PER_MINUTE, label: `${name} refused` }),
    ),
  );

const edges = ({ http, functions: { worker } }: Watched) =>
  graph(
    'API and workers',
    [
      http.metricCount({ ...PER_MINUTE, label: 'requests' }),
      http.metricClientError({ ...PER_MINUTE, label: '4xx' }),
      http.metricServerError({ ...PER_MINUTE, label: '5xx' }),
      worker.metric('ConcurrentExecutions', {
        statistic: Stats.MAXIMUM,
        period: MINUTE,
        label: 'workers at once',
      }),
    ],
    [http.metricLatency({ statistic: Stats.p(99), period: MINUTE, label: 'latency p99 (ms)' })],
  );

/** Of the line that the worker writes for each message (lambdas/worker/message.ts). */
const OCCURRENCES = ['fields group, id, kind, startDelayMs', 'filter message = "Occurrence"'];

function topTalkers({ functions: { worker } }: Watched): IWidget[] {
  const table = (title: string, queryLines: string[]) =>
    new LogQueryWidget({
      title,
      ...HALF,
      view: LogQueryVisualizationType.TABLE,
      logGroupNames: [worker.logGroup.logGroupName],
      queryLines,
    });
  return [
    table('Groups that run most', [
      ...OCCURRENCES,
      'filter ispresent(attempt)',
      'stats count(*) as attempts, sum(strcontains(kind, "failed")) as failed, sum(strcontains(kind, "retry")) as retried, ' +
        'pct(startDelayMs, 99) as p99StartDelayMs by group',
      'sort attempts desc',
      'limit 20',
    ]),
    table('Schedules that fail most', [
      ...OCCURRENCES,
      'filter kind in ["failed", "retry"]',
      // <group>~<name>~<time>~<revision>
      'parse id "*~*~*" as inGroup, name, rest',
      'stats sum(strcontains(kind, "failed")) as failed, sum(strcontains(kind, "retry")) as retried, ' +
        'latest(detail) as lastDetail by group, name',
      'sort failed desc, retried desc',
      'limit 20',
    ]),
  ];
}
