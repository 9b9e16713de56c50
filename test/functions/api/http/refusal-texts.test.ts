import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import * as backfill from '../../../../lambdas/api/backfills/backfill-schema.ts';
import * as calendar from '../../../../lambdas/api/calendars/calendar-schema.ts';
import * as group from '../../../../lambdas/api/groups/group-schema.ts';
import * as occurrence from '../../../../lambdas/api/occurrences/occurrence-schema.ts';
import * as verbs from '../../../../lambdas/api/occurrences/verbs-schema.ts';
import * as outside from '../../../../lambdas/api/pull/pull-schema.ts';
import { parseWith } from '../../../../lambdas/api/request/parse.ts';
import * as explain from '../../../../lambdas/api/schedules/explain/explain-schema.ts';
import * as pause from '../../../../lambdas/api/schedules/schema/pause-schema.ts';
import * as schedule from '../../../../lambdas/api/schedules/schema/schedule-schema.ts';
import * as plan from '../../../../lambdas/api/service/plan-schema.ts';
import * as zones from '../../../../lambdas/api/service/zones-schema.ts';
import { scheduleBody } from '../api.ts';

const BODIES = [backfill, calendar, explain, group, occurrence, verbs, outside, pause, plan, schedule, zones]
  .flatMap((module) => Object.entries(module as Record<string, unknown>))
  .filter(([name, schema]) => /Body$|Query$|Params$/.test(name) && schema instanceof z.ZodType) as [
  string,
  z.ZodType,
][];

/** Each of them is wrong somewhere. */
const JUNK = [
  undefined,
  null,
  true,
  -1,
  0,
  1.5,
  1e12,
  '',
  'nonsense',
  'x'.repeat(5_000),
  [],
  [null],
  Array(2_000).fill('x'),
  {},
  { x: 1 },
];
const KINDS = ['http', 'lambda', 'sqs', 'sns', 'eventBus', 'stateMachine', 'pull'];

/** What a schema refuses, said of this value. */
function refusal(schema: z.ZodType, value: unknown): readonly string[] {
  try {
    parseWith(schema, value);
    return [];
  } catch (error) {
    const { message, faults } = error as { message: string; faults: { message: string }[] };
    return [message, ...faults.map((fault) => fault.message)];
  }
}

/** The object with junk in one of its fields, one after the other; and within those that are objects. */
function* junked(schema: z.ZodType, key?: string): Generator<unknown> {
  for (const junk of JUNK) yield junk;
  const inner = unwrapped(schema);
  if (key === 'target')
    for (const kind of KINDS)
      for (const field of [
        'url',
        'method',
        'headers',
        'signing',
        'functionArn',
        'queueArn',
        'topicArn',
        'eventBusArn',
        'stateMachineArn',
        'queue',
      ])
        for (const junk of JUNK) yield { kind, [field]: junk };
  if (!(inner instanceof z.ZodObject)) return;
  for (const [name, field] of Object.entries(inner.shape))
    for (const value of junked(field as z.ZodType, name)) yield { [name]: value };
}

function unwrapped(schema: z.ZodType): z.ZodType {
  const { innerType } = schema.def as { innerType?: z.ZodType };
  return innerType ? unwrapped(innerType) : schema;
}

describe('a refusal', () => {
  it.each(BODIES)('by %s is a sentence, and none of the validator', (_, schema) => {
    let refused = 0;
    for (const value of junked(schema)) {
      for (const text of refusal(schema, value)) {
        refused += 1;
        expect(text).not.toMatch(
          /Invalid (input|option|string|key|element)|received|expected|Too (small|big)|Unrecognized|undefined|NaN|\[object/,
        );
        expect(text, JSON.stringify(value)).toMatch(/^[A-Za-z0-9"{[].*[.?]$/s);
      }
    }
    expect(refused).toBeGreaterThan(0);
  });

  it.each<[string, z.ZodType, unknown, string]>([
    ['a missing text', schedule.createScheduleBody, { name: 'x' }, 'expression: It is required'],
    [
      'a number out of range',
      plan.planBody,
      { expression: '* * * * *', count: 0 },
      'count: A whole number from 1 to 1000; this is 0.',
    ],
    [
      'half a run',
      plan.planBody,
      { expression: '* * * * *', count: 1.5 },
      'count: A whole number from 1 to 1000; this is 1.5.',
    ],
    [
      'another word',
      verbs.replayBody,
      { input: 'newest' },
      'input: One of original, current; this is the text "newest".',
    ],
    [
      'a page that is too large',
      schedule.listSchedulesQuery,
      { limit: '500' },
      'limit: A whole number from 1 to 100; this is 500.',
    ],
    [
      'text for a switch',
      backfill.createBackfillBody,
      { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z', dryRun: 'yes' },
      'dryRun: True or false; this is the text "yes".',
    ],
    [
      'text for a limit',
      group.groupBody,
      { concurrencyLimit: 'none' },
      'concurrencyLimit: A whole number from 1 to 1000, or null for any number.',
    ],
    [
      'seconds as a time',
      verbs.comingBody,
      { scheduledTime: 1_772_366_400 },
      'write "2026-03-01T12:00:00.000Z"',
    ],
  ])('of %s names what came and what is allowed', (_, schema, value, text) => {
    expect(refusal(schema, value)[0]).toContain(text);
  });

  it.each([
    [30, 'PT30S'],
    ['30', 'PT30S'],
    ['30s', 'PT30S'],
    ['5m', 'PT5M'],
    ['5 minutes', 'PT5M'],
    ['1.5s', 'PT1.5S'],
    ['pt30s', 'PT30S'],
    ['T30S', 'PT30S'],
    ['30S', 'PT30S'],
  ])('of the timeout %j says how it is written', (timeout, written) => {
    const [text] = refusal(schedule.replaceScheduleBody, scheduleBody({ timeout }));
    expect(text).toBe(
      `timeout: An ISO 8601 duration of weeks, days, hours, minutes and seconds from PT1S to PT14M: write "${written}".`,
    );
  });

  it.each(['2h', 3_600, 'soon', 0, 'P1Y', '-5'])(
    'of the timeout %j suggests nothing that would be refused',
    (timeout) => {
      expect(refusal(schedule.replaceScheduleBody, scheduleBody({ timeout }))[0]).not.toContain('write');
    },
  );

  it('of a header of ours says that it is ours', () => {
    const target = { kind: 'http', url: 'https://example.com/', headers: { 'Content-Type': 'text/plain' } };
    expect(refusal(schedule.replaceScheduleBody, scheduleBody({ target }))[0]).toContain(
      'Punctual sets the header "Content-Type" itself; leave it out.',
    );
  });

  it('of a name says what it begins with', () => {
    expect(refusal(schedule.createScheduleBody, scheduleBody({ name: '.hidden' }))[0]).toContain(
      'begins with a letter or digit',
    );
  });
});

describe('a field that there is not', () => {
  it.each([
    ...['cron', 'schedule', 'cronExpression', 'rrule', 'interval', 'expresion'].map((name) => [
      name,
      '"expression"',
    ]),
    ...['tz', 'timeZone', 'time_zone', 'timezon'].map((name) => [name, '"timezone"']),
    ...['body', 'payload', 'data', 'args'].map((name) => [name, '"input"']),
    ...['maxRetries', 'retries', 'attempts'].map((name) => [name, '"maxAttempts" in "retry"']),
    ['url', '"url" in "target"'],
    ['headers', '"headers" in "target"'],
    ['start_at', '"startAt"'],
    ['endDate', '"endAt"'],
    ['jitter', '"window"'],
    ['labels', '"tags"'],
    ['concurrencyPolicy', '"overlap"'],
    ['max-runs', '"maxRuns"'],
    ['descripton', '"description"'],
  ])('%s leads to %s', (name, meant) => {
    const [text] = refusal(schedule.replaceScheduleBody, scheduleBody({ [name]: 'x' }));
    expect(text).toBe(`${name}: There is no such field; did you mean ${meant}?`);
  });

  it.each(['enabled', 'paused', 'isActive', 'suspend'])('%s leads to the verbs', (name) => {
    expect(refusal(schedule.replaceScheduleBody, scheduleBody({ [name]: false }))[0]).toContain(
      'POST …/pause',
    );
  });

  it('is looked for where it stands', () => {
    expect(refusal(schedule.replaceScheduleBody, scheduleBody({ retry: { retries: 5 } }))[0]).toContain(
      'did you mean "maxAttempts"?',
    );
    const target = { kind: 'lambda', arn: 'x' };
    expect(refusal(schedule.replaceScheduleBody, scheduleBody({ target }))[0]).toContain(
      'did you mean "functionArn"?',
    );
    expect(refusal(schedule.listSchedulesQuery, { pageSize: '5' })[0]).toContain('did you mean "limit"?');
    expect(refusal(schedule.replaceScheduleBody, scheduleBody({ zzz: 1 }))[0]).toBe(
      'zzz: There is no such field.',
    );
  });
});
