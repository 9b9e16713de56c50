/** The few calls of the API that benchmarks and whole-run tests make. */
export async function createSchedule(
  apiUrl: string,
  schedule: {
    readonly group: string;
    readonly name: string;
    readonly expression: string;
    readonly [field: string]: unknown;
  },
  targetUrl: string,
): Promise<void> {
  const body = { ...schedule, timezone: 'UTC', target: { kind: 'http', url: targetUrl } };
  await call(apiUrl, 'POST', '/schedules', body);
}

export async function limitGroup(apiUrl: string, group: string, concurrencyLimit: number): Promise<void> {
  await call(apiUrl, 'PUT', `/groups/${group}`, { concurrencyLimit });
}

export async function deleteSchedule(apiUrl: string, group: string, name: string): Promise<void> {
  await call(apiUrl, 'DELETE', `/schedules/${group}/${name}`);
}

export interface LedgerEntry {
  readonly status: string;
  readonly attempt: number;
  readonly idempotencyKey: string;
  readonly attempts: readonly { readonly outcome: string }[];
}

/** Every occurrence of a schedule. */
export async function ledgerOf(apiUrl: string, group: string, name: string): Promise<readonly LedgerEntry[]> {
  const entries: LedgerEntry[] = [];
  let cursor: string | undefined;
  do {
    const query: string = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page = (await call(
      apiUrl,
      'GET',
      `/schedules/${group}/${name}/occurrences?from=1970-01-01T00:00:00Z&limit=100${query}`,
    )) as {
      items: LedgerEntry[];
      cursor?: string;
    };
    entries.push(...page.items);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return entries;
}

async function call(apiUrl: string, method: string, path: string, body?: unknown): Promise<unknown> {
  const response = await fetch(`${apiUrl}${path}`, {
    method,
    ...(body !== undefined && {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}
