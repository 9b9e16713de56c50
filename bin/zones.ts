import type { Problem } from '../lambdas/api/http/problem-schema.ts';
import type { ZonesReport } from '../lambdas/api/service/zones-schema.ts';

/** Schedules looked at in one request. */
const PAGE = 100;

type Report = Omit<ZonesReport, 'cursor'>;

/** What the API says about all its schedules. */
export async function readZones(api: string): Promise<Report> {
  let report: Report = { zoneData: '', looked: 0, items: [] };
  let cursor: string | undefined;
  do {
    const url = addressOf(api);
    url.searchParams.set('limit', String(PAGE));
    if (cursor !== undefined) url.searchParams.set('cursor', cursor);
    const page = await get(url);
    const items = [...report.items, ...page.items];
    report = { zoneData: page.zoneData, looked: report.looked + page.looked, items };
    cursor = page.cursor;
  } while (cursor !== undefined);
  return report;
}

function addressOf(api: string): URL {
  const address = `${api.replace(/\/$/, '')}/zones/report`;
  if (/^https?:\/\//i.test(address) && URL.canParse(address)) return new URL(address);
  throw new Error(`--api ${api} is no address: write it as http://127.0.0.1:4000.`);
}

async function get(url: URL): Promise<ZonesReport> {
  const response = await fetch(await requestFor(url)).catch((error: Error) => {
    // What fetch itself says is that it failed; the reason is in the cause.
    const { cause } = error as { readonly cause?: { readonly code?: string; readonly message?: string } };
    throw new Error(`${url.origin} does not answer: ${cause?.message || cause?.code || error.message}.`);
  });
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
