import type { Problem } from '../lambdas/contract/api/problem.ts';
import type { ZonesReport } from '../lambdas/contract/api/zones.ts';
import { apiRegion, signedHeaders } from './signed-get.ts';

/** Schedules looked at in one request. */
const PAGE = 100;

type Report = Omit<ZonesReport, 'cursor'>;
type Environment = Readonly<Record<string, string | undefined>>;

/** What the API says about all its schedules. */
export async function readZones(api: string, environment: Environment): Promise<Report> {
  let report: Report = { zoneData: '', looked: 0, items: [] };
  let cursor: string | undefined;
  do {
    const url = new URL(`${api.replace(/\/$/, '')}/zones/report`);
    url.searchParams.set('limit', String(PAGE));
    if (cursor !== undefined) url.searchParams.set('cursor', cursor);
    const page = await get(url, environment);
    const items = [...report.items, ...page.items];
    report = { zoneData: page.zoneData, looked: report.looked + page.looked, items };
    cursor = page.cursor;
  } while (cursor !== undefined);
  return report;
}

async function get(url: URL, environment: Environment): Promise<ZonesReport> {
  const response = await fetch(url, { headers: headersFor(url, environment) });
  const body = (await response.json()) as ZonesReport | Problem;
  if (response.ok) return body as ZonesReport;
  const { detail } = body as Problem;
  throw new Error(`${url.origin} answered ${response.status}: ${detail ?? JSON.stringify(body)}`);
}

/** An API in AWS takes requests that are signed; the local one takes any. */
function headersFor(url: URL, environment: Environment): Record<string, string> {
  const region = apiRegion(url);
  if (region === undefined) return {};
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = environment;
  if (accessKeyId === undefined || secretAccessKey === undefined)
    throw new Error(
      'There are no AWS credentials in the environment: eval "$(aws configure export-credentials --format env)".',
    );
  const credentials = { accessKeyId, secretAccessKey, sessionToken: environment.AWS_SESSION_TOKEN };
  return signedHeaders(url, { region, service: 'execute-api' }, credentials, new Date());
}

export function zonesText({ zoneData, looked, items }: Report): string {
  const rows = items.map(
    ({ group, name, timezone, state, from, to, zoneData: before }) =>
      `${group}/${name}  ${timezone}  ${from} (${before ?? 'unknown'}) → ${to ?? 'none'}${state === 'moves' ? '  not re-planned yet' : ''}`,
  );
  const count = `${items.length} of ${looked} schedules have a next time that zone data ${zoneData} moves.`;
  return `${[count, ...rows].join('\n')}\n`;
}
