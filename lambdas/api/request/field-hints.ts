import { OFFERED_KINDS } from '../../core/targets/index.ts';

/**
 * Fields, with a dot where one is inside another, and the names under which people look for them who come from other
 * schedulers; those are written as `normalised` leaves them. The first is meant that the refused object may have.
 */
const ALIASES: Readonly<Record<string, string>> = {
  expression:
    'cron cronexpression cronspec crontab schedule scheduleexpression spec rate interval every when at runat rrule recurrence trigger pattern',
  timezone: 'tz zone timezoneid timezonename scheduleexpressiontimezone location',
  startAt: 'start startdate starttime from notbefore begin startsat',
  endAt: 'end enddate endtime to until notafter expires expiresat endsat',
  maxRuns: 'limit count repeat times runs occurrences maxoccurrences',
  window: 'jitter flexibletimewindow splay spread randomdelay',
  exclude: 'except exclusions exdate holidays blackout skip',
  input: 'body payload data args arguments params parameters message json event',
  'target.url': 'url uri endpoint webhook callback callbackurl href',
  'target.headers': 'headers header httpheaders',
  'target.method': 'method verb httpmethod',
  target: 'action job task destination handler',
  ...Object.assign({}, ...Object.values(OFFERED_KINDS).map(({ aliases }) => aliases)),
  kind: 'type',
  'retry.maxAttempts': 'maxretries retries retrycount attempts maxattempts maximumretryattempts retrylimit',
  maxAttempts: 'maxretries retries retrycount attempts maximumattempts maximumretryattempts limit max',
  retry: 'retrypolicy backoff retryoptions retryconfig',
  initialDelay: 'delay backoff interval initialinterval initialbackoff mindelay retryinterval minbackoff',
  maxDelay: 'maxinterval maximuminterval maxbackoff cap',
  factor: 'multiplier backoffcoefficient backofffactor exponent base',
  maxAge: 'maximumeventageinseconds maxretryduration ttl',
  timeout: 'timeoutseconds attemptdeadline deadline timelimit maxduration',
  startDeadline: 'startingdeadlineseconds misfiregracetime misfire expireafter ttl',
  overlap: 'concurrencypolicy overlappolicy maxinstances allowoverlap coalesce',
  concurrency: 'maxconcurrency concurrencylimit parallelism singleton mutex lock',
  catchUp: 'catchupwindow misfirepolicy backfill makeup catchuppolicy',
  tags: 'labels metadata annotations',
  description: 'comment note summary title',
  retention: 'ttlsecondsafterfinished historylimit keepfor',
  name: 'id key schedulename jobname',
  group: 'namespace project tenant folder schedulegroup groupname',
  limit: 'count max size pagesize perpage n top maxresults',
  count: 'limit max size n times',
  cursor: 'page token nexttoken offset after continuationtoken',
  from: 'start since after startat starttime',
  to: 'end until before endat endtime',
  concurrencyLimit: 'limit max maxconcurrency concurrency',
};

/** What is no field because it is done by a verb. */
const SWITCHES = new Set(
  'state status paused pause enabled enable disabled disable active isactive isenabled suspend suspended'.split(
    ' ',
  ),
);

const normalised = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/** Why a field is refused, with the name that was probably meant. */
export function noSuchField(key: string, siblings: readonly string[]): string {
  const meant = meantBy(key, siblings);
  const [field, inside] = meant?.split('.').toReversed() ?? [];
  if (field !== undefined && inside === undefined) return `There is no such field; did you mean "${field}"?`;
  if (field !== undefined) return `There is no such field; did you mean "${field}" in "${inside}"?`;
  if (siblings.includes('expression') && SWITCHES.has(normalised(key))) return SWITCHED;
  return 'There is no such field.';
}

export const SWITCHED =
  'This is not set in a definition: POST …/pause pauses a schedule, and POST …/resume lets it go on.';

function meantBy(key: string, siblings: readonly string[]): string | undefined {
  const name = normalised(key);
  const same = siblings.find((field) => normalised(field) === name);
  if (same !== undefined) return same;
  const known = Object.keys(ALIASES).find(
    (field) => siblings.includes(field.split('.')[0] ?? '') && ALIASES[field]?.split(' ').includes(name),
  );
  return known ?? nearest(name, siblings);
}

/** The field that differs least, when that is a slip of the fingers and not another word. */
function nearest(name: string, fields: readonly string[]): string | undefined {
  const [best] = fields
    .map((field) => ({ field, distance: editDistance(name, normalised(field)) }))
    .toSorted((a, b) => a.distance - b.distance);
  return best && best.distance <= Math.max(1, Math.floor(name.length / 4)) ? best.field : undefined;
}

/** Levenshtein: letters to put in, leave out or change. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries()) {
      const change = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(change, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
