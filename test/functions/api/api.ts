import { createSchedulerEvents } from '../../../lambdas/adapters/scheduler-events.ts';
import { createApp } from '../../../lambdas/api/app.ts';
import type { ApiDeps } from '../../../lambdas/api/deps.ts';
import type { OccurrenceView } from '../../../lambdas/api/occurrences/occurrence-schema.ts';
import type { MetricName, ScheduleReport } from '../../../lambdas/contract/metrics.ts';
import { type ScheduleId, scheduleId } from '../../../lambdas/core/ids.ts';
import { headRecurrence } from '../../../lambdas/core/schedule/head-recurrence.ts';
import { type EpochMs, epochMs, HOUR, MINUTE } from '../../../lambdas/core/time.ts';
import { type TickDeps, tick } from '../../../lambdas/tick/tick.ts';
import { ANYTHING_ALLOWED } from '../../support/allowed.ts';
import { testClock } from '../../support/clock.ts';
import { freshId, NOON } from '../../support/fixtures.ts';
import { openStores, type Stores } from '../../support/stores.ts';

/** Of the stores that `openApi` opens. */
export const SHARDS = [0, 1, 2, 3];
export const LIMITS = { lead: 2 * MINUTE, planWindow: 10 * MINUTE };

// biome-ignore lint/suspicious/noExplicitAny: an answer is whatever JSON came; the test says what it is to be
export type Body = any;

export interface Reply {
  readonly status: number;
  readonly body: Body;
  readonly headers: Headers;
}

/** The API over the real stores, with a clock of its own that stands at `NOON`. */
export async function openApi(stores?: Stores) {
  const own = stores ?? (await openStores());
  const clock = testClock(NOON);
  let secrets = 0;
  const logged: { requestId: string; error: Error }[] = [];
  const counted = new Map<MetricName, number>();
  const reported: Parameters<ScheduleReport>[] = [];
  const deps: ApiDeps = {
    schedules: own.schedules,
    occurrences: own.occurrences,
    backfills: own.backfills,
    calendars: own.calendars,
    planning: own.planning,
    watches: own.watches,
    limits: LIMITS,
    zoneData: '2026c',
    allowed: ANYTHING_ALLOWED,
    clock,
    newSecret() {
      secrets += 1;
      return `secret-${secrets}`;
    },
    events: createSchedulerEvents(
      (name, value) => counted.set(name, (counted.get(name) ?? 0) + value),
      (...report) => reported.push(report),
    ),
    logger: { error: (_, detail) => logged.push(detail) },
  };
  return { ...apiWith(deps), deps, clock, logged, counted, reported, stores: own, close: () => own.close() };
}

export type TestApi = Awaited<ReturnType<typeof openApi>>;

/** Calls an app made of these dependencies, each request under an id of its own. */
export function apiWith(deps: ApiDeps) {
  const app = createApp(deps);
  let requests = 0;

  async function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    requests += 1;
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const response = await app.request(
      path,
      {
        method,
        headers: { ...(text !== undefined && { 'content-type': 'application/json' }), ...headers },
        ...(text !== undefined && { body: text }),
      },
      { requestContext: { requestId: `request-${requests}` } },
    );
    const answer = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: answer === '' ? null : JSON.parse(answer),
    };
  }

  return {
    app,
    call,
    get: (path: string) => call('GET', path),
    post: (path: string, body?: unknown, headers?: Record<string, string>) =>
      call('POST', path, body, headers),
    put: (path: string, body: unknown, headers?: Record<string, string>) => call('PUT', path, body, headers),
    patch: (path: string, body: unknown, headers?: Record<string, string>) =>
      call('PATCH', path, body, headers),
    delete: (path: string, headers?: Record<string, string>) => call('DELETE', path, undefined, headers),
  };
}

/** Runs the tick of a moment over all shards. */
export function tickAt(api: TestApi, now: EpochMs, changes: Partial<TickDeps> = {}) {
  api.clock.set(now);
  const { planning: store, occurrences } = api.stores;
  const terms = { ...LIMITS, holder: `tick-${now}`, stopAt: epochMs(now + HOUR), now: () => now };
  return tick({ store, occurrences, recurrenceOf: headRecurrence, ...terms, ...changes }, SHARDS);
}

/** A body that is accepted: daily at 09:00 UTC, far from `NOON`. */
export function scheduleBody(changes: Record<string, unknown> = {}) {
  return { expression: '0 9 * * *', target: { kind: 'http', url: 'https://example.com/hook' }, ...changes };
}

/** A schedule that exists, and where it is. */
export async function created(api: TestApi, changes: Record<string, unknown> = {}) {
  const id = freshId();
  const path = pathOf(id);
  const reply = await api.put(path, scheduleBody(changes));
  if (reply.status !== 201) throw new Error(`Not created: ${JSON.stringify(reply.body)}`);
  return { id, path, reply };
}

export function pathOf(id: ScheduleId): string {
  return `/schedules/${id}`;
}

/** Group and name for a POST of a schedule that does not exist. */
export function freshNames() {
  const [group, name] = freshId().split('/') as [string, string];
  return { group, name, id: scheduleId(group, name), path: `/schedules/${group}/${name}` };
}

/** The whole ledger of a schedule, what is planned ahead included, oldest first. */
export async function ledger(api: TestApi, path: string): Promise<OccurrenceView[]> {
  const items: OccurrenceView[] = [];
  let cursor: string | undefined;
  do {
    const page: Reply = await api.get(
      `${path}/occurrences?from=1970-01-01T00:00:00Z&limit=100${cursor === undefined ? '' : `&cursor=${cursor}`}`,
    );
    items.push(...page.body.items);
    cursor = page.body.cursor;
  } while (cursor !== undefined);
  return items.reverse();
}

/** `status` and `reason` of each, counted: `{ 'cancelled superseded': 3 }`. */
export function tally(occurrences: readonly OccurrenceView[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, reason } of occurrences) {
    const what = reason === null ? status : `${status} ${reason}`;
    counts[what] = (counts[what] ?? 0) + 1;
  }
  return counts;
}
