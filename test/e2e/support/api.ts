import { signedRequest } from '../../../bin/signed-request.ts';
import type { OccurrenceView } from '../../../lambdas/api/occurrences/occurrence-schema.ts';
import type { ScheduleView } from '../../../lambdas/api/schedules/schema/schedule-schema.ts';
import type { Place } from './place.ts';
import { until } from './until.ts';

export interface Answer {
  readonly status: number;
  readonly etag: string | null;
  readonly body: unknown;
}

export interface Api {
  readonly url: string;
  /** Whatever the answer is. */
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** `id` is `group/name`. */
  create(id: string, schedule: Readonly<Record<string, unknown>>): Promise<ScheduleView>;
  /** The body of an answer that has to be a good one. */
  must<Body>(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Body>;
  /** Every occurrence of a schedule, by scheduled time. */
  ledger(id: string): Promise<readonly OccurrenceView[]>;
  /** The same once there are some and all of them have ended. */
  settled(id: string, withinMs?: number): Promise<readonly OccurrenceView[]>;
}

/** The deployed HTTP API, with signed requests. */
export function createApi(place: Place, apiUrl: string): Api {
  const { region, credentials } = place;
  const url = addressOf(place, apiUrl);

  async function send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const json = body === undefined ? {} : { body: JSON.stringify(body) };
    const typed = body === undefined ? headers : { 'content-type': 'application/json', ...headers };
    const request = { method, headers: typed, ...json };
    const signed = await signedRequest(new URL(`${url}${path}`), request, {
      region,
      service: 'execute-api',
      credentials,
    });
    const response = await fetch(signed);
    const text = await response.text();
    return {
      status: response.status,
      etag: response.headers.get('etag'),
      body: text === '' ? undefined : JSON.parse(text),
    };
  }

  async function must<Body>(...request: Parameters<typeof send>): Promise<Body> {
    const { status, body } = await send(...request);
    if (status >= 400)
      throw new Error(`${request[0]} ${request[1]} answered ${status}: ${JSON.stringify(body)}`);
    return body as Body;
  }

  async function ledger(id: string): Promise<readonly OccurrenceView[]> {
    const items: OccurrenceView[] = [];
    let cursor: string | undefined;
    do {
      const query: string = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const page = await must<{ items: OccurrenceView[]; cursor?: string }>(
        'GET',
        `/schedules/${id}/occurrences?from=1970-01-01T00:00:00Z&limit=100${query}`,
      );
      items.push(...page.items);
      cursor = page.cursor;
    } while (cursor !== undefined);
    return items.toSorted(
      (a, b) => a.scheduledTime.localeCompare(b.scheduledTime) || a.revision - b.revision,
    );
  }

  return {
    url,
    send,
    must,
    create(id, schedule) {
      const [group, name] = id.split('/');
      return must<ScheduleView>('POST', '/schedules', { group, name, timezone: 'UTC', ...schedule });
    },
    ledger,
    settled(id, withinMs = 20_000) {
      let seen: readonly OccurrenceView[] = [];
      const hasEnded = ({ status }: OccurrenceView) => status !== 'pending' && status !== 'running';
      return until(
        `${id} ends`,
        withinMs,
        async () => {
          seen = await ledger(id);
          return seen.length > 0 && seen.every(hasEnded) ? seen : undefined;
        },
        () => seen,
      );
    },
  };
}

/**
 * The template says the name that API Gateway has in AWS. Emulators answer by path as well, which needs no name
 * to be resolved.
 */
function addressOf({ endpoint }: Place, apiUrl: string): string {
  if (endpoint === undefined) return apiUrl.replace(/\/$/, '');
  const [apiId] = new URL(apiUrl).hostname.split('.');
  return `${endpoint.origin}/_aws/execute-api/${apiId}/$default`;
}
