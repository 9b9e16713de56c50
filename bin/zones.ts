import type { Problem } from '../lambdas/contract/api/problem.ts';
import type { ZonesReport } from '../lambdas/contract/api/zones.ts';

/** Schedules looked at in one request. */
const PAGE = 100;

type Report = Omit<ZonesReport, 'cursor'>;

/** What the API says about all its schedules. */
export async function readZones(api: string): Promise<Report> {
  let report: Report = { zoneData: '', looked: 0, items: [] };
  let cursor: string | undefined;
  do {
    const url = new URL(`${api.replace(/\/$/, '')}/zones/report`);
    url.searchParams.set('limit', String(PAGE));
    if (cursor !== undefined) url.searchParams.set('cursor', cursor);
    const page = await get(url);
    const items = [...report.items, ...page.items];
    report = { zoneData: page.zoneData, looked: report.looked + page.looked, items };
    cursor = page.cursor;
  } while (cursor !== undefined);
  return report;
}

async function get(url: URL): Promise<ZonesReport> {
  const response = await fetch(await requestFor(url));
  const body = (await response.json()) as ZonesReport | Problem;
  if (response.ok) return body as ZonesReport;
  const { detail } = body as Problem;
  throw new Error(`${url.origin} answered ${response.status}: ${detail ?? JSON.stringify(body)}`);
}

/** An API in AWS takes requests that are signed; the local one takes any. */
async function requestFor(url: URL): Promise<Request> {
  const region = apiRegion(url);
  if (region === undefined) return new Request(url);
  // Loaded here only: it takes longer than all else that the commands do.
  const { signedRequest } = await import('./signed-request.ts');
  return signedRequest(url, {}, { region, service: 'execute-api' });
}

/** The region of an API Gateway address; undefined for any other, which takes no signature. */
export function apiRegion({ hostname }: URL): string | undefined {
  return /\.execute-api\.([a-z0-9-]+)\.amazonaws\.com/.exec(hostname)?.[1];
}

export function zonesText({ zoneData, looked, items }: Report): string {
  const rows = items.map(
    ({ group, name, timezone, state, from, to, zoneData: before }) =>
      `${group}/${name}  ${timezone}  ${from} (${before ?? 'unknown'}) → ${to ?? 'none'}${state === 'moves' ? '  not re-planned yet' : ''}`,
  );
  const count = `${items.length} of ${looked} schedules have a next time that zone data ${zoneData} moves.`;
  return `${[count, ...rows].join('\n')}\n`;
}
