import { Logger } from '@aws-lambda-powertools/logger';
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import {
  type Count,
  METRIC,
  METRIC_NAMESPACE,
  type MetricName,
  SCHEDULE_DIMENSIONS,
  SCHEDULE_METRIC,
  type ScheduleReport,
} from '../contract/metrics.ts';
import { splitScheduleId } from '../core/ids.ts';
import { SECOND } from '../core/time.ts';
import { withDeadline } from './aws/deadline.ts';
import { createSchedulerEvents } from './scheduler-events.ts';

export const logger = new Logger();

const metrics = new Metrics({ namespace: METRIC_NAMESPACE });

/** Adds events to this invocation's metrics, which leave as one EMF line at its end. No event, no metric. */
export const count: Count = (name, value) => {
  if (value > 0) metrics.addMetric(name, MetricUnit.Count, value);
};

/** How many there are now; none is a thing to say, too. */
export function gauge(name: MetricName, value: number): void {
  metrics.addMetric(name, MetricUnit.Count, value);
}

export function seconds(name: MetricName, value: number): void {
  metrics.addMetric(name, MetricUnit.Seconds, value);
}

export function milliseconds(name: MetricName, value: number): void {
  metrics.addMetric(name, MetricUnit.Milliseconds, value);
}

const MILLISECONDS: ReadonlySet<string> = new Set([METRIC.startDelayMs, SCHEDULE_METRIC.durationMs]);

/** A document of its own: another dimension on those of the invocation would be on all that it counted. */
export const reportSchedule: ScheduleReport = (schedule, figures) => {
  const { group, name } = splitScheduleId(schedule);
  const own = new Metrics({ namespace: METRIC_NAMESPACE });
  const [groupDimension, scheduleDimension] = SCHEDULE_DIMENSIONS;
  own.addDimension(groupDimension, group);
  own.addDimension(scheduleDimension, name);
  for (const [metric, value] of Object.entries(figures)) {
    own.addMetric(metric, MILLISECONDS.has(metric) ? MetricUnit.Milliseconds : MetricUnit.Count, value);
  }
  own.publishStoredMetrics();
};

export const schedulerEvents = createSchedulerEvents(count, reportSchedule);

/** Not powertools' own middleware: that warns of each invocation that had nothing to count. */
function publish(): void {
  if (metrics.hasStoredMetrics()) metrics.publishStoredMetrics();
}

/** Milliseconds before the end of an invocation by which its calls have given up, so that it can say so. */
const RESERVE = SECOND;

/** A Lambda handler with log context and metrics around it, and a deadline for its calls of AWS. */
export function withObservability<Event, Result>(
  handle: (event: Event, context: Context) => Promise<Result>,
) {
  return middy<Event, Result>()
    .use(injectLambdaContext(logger))
    .use({ after: publish, onError: publish })
    .handler((event, context) =>
      withDeadline(Date.now() + context.getRemainingTimeInMillis() - RESERVE, () => handle(event, context)),
    );
}
