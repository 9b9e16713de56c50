import { backfillItem } from '../../lambdas/adapters/dynamodb/backfills/backfill-items.ts';
import {
  calendarItem,
  calendarUserKey,
  calendarVersionItem,
} from '../../lambdas/adapters/dynamodb/calendars/calendar-items.ts';
import { idempotencyItem } from '../../lambdas/adapters/dynamodb/idempotency-records.ts';
import {
  groupKey,
  revivalKey,
  SHARD_COUNT_KEY,
  shardKey,
  sweepMemoryKey,
  watchKey,
} from '../../lambdas/adapters/dynamodb/keys.ts';
import { headItem, revisionItem } from '../../lambdas/adapters/dynamodb/schedules/head-items.ts';
import { WATCH_SHARD } from '../../lambdas/adapters/dynamodb/schedules/watch-items.ts';
import { LAST_SUCCESS_ATTRIBUTE } from '../../lambdas/contract/tables.ts';
import { scheduleId } from '../../lambdas/core/ids.ts';
import { planningPolicy } from '../../lambdas/core/schedule/head.ts';
import { at, definition, head, NOON, revision } from '../support/fixtures.ts';
import type { ItemKind } from './data-model-occurrences.ts';

const ID = scheduleId('billing', 'invoices');
const DAY = 86_400_000;
const DEFINITION = definition({ expression: '0 9 * * MON-FRI', timezone: 'Europe/Berlin' });
const HEAD = head({ id: ID, revision: 3, version: 7, policy: planningPolicy(DEFINITION), zoneData: '2026a' });
const DEPLOYMENT = { shards: 16, retentionDays: 30 };
const CALENDAR = {
  name: 'holidays-de',
  version: 2,
  definition: { dates: ['2026-12-25'], closedWeekdays: [] },
  updatedAt: NOON,
  updatedBy: 'arn:aws:iam::123456789012:user/ann',
};

export const SCHEDULE_KINDS: readonly ItemKind[] = [
  {
    title: 'Head',
    key: '`S#<group>/<name>`, `HEAD`',
    about:
      'One for each schedule: its state, its next time and the policies that planning needs. A deleted schedule leaves its head as a ' +
      'tombstone, so that revision numbers go on.',
    writers: [
      [
        'API: create, edit, pause, resume, delete',
        'it is absent or a tombstone (create), or `version`, `next_due_at` and the epoch of `counted` are as read',
      ],
      [
        'tick: advance, wake, complete, retire',
        'state, `revision`, `next_due_at` and `remaining_runs` are as read; of a paused one `version` too',
      ],
      ['worker, sweep: pause after failures', 'the same'],
      ['sweep: keep the canary', 'the same'],
    ],
    attributes: {
      state: '`enabled`, `paused`, `completed` or `deleted`',
      revision: 'number of the definition in force',
      version: 'one more with each change; with the first revision the ETag',
      first_revision: 'first revision of this life of the name; absent: 1',
      oldest_revision: 'oldest revision whose occurrences may still start',
      adopted_through: 'occurrences of older revisions up to this time run by the revision in force',
      expression: 'what it fires by: one expression, or several',
      timezone: 'IANA name or offset',
      dst: 'what happens to skipped and repeated local times',
      day_rule: 'how a crontab joins its two day fields',
      exclude: 'dates, ranges and expressions that do not fire',
      calendars: 'calendars with the version that it was made with: `name#version`',
      on_excluded: 'what happens on closed days',
      start_at: 'first time that may fire',
      end_at: 'last time that may fire',
      window: 'spread of starts, a duration',
      spec_in_revision: 'the expression, exclusions and calendars are long, and only the revision has them',
      start_deadline: 'how late a start may be, a duration',
      catch_up: 'what to do about missed times',
      pull_queue: 'queue that outside workers claim from',
      retention_days: 'days that finished occurrences are kept, where it says so itself',
      delete_after_completion: 'it is deleted once nothing of it is open',
      expect_success_within: 'duration after which a missing success is told',
      metrics: 'it has metrics of its own',
      anchor: 'where unanchored intervals count from',
      created_at: 'when it was created',
      updated_at: 'when a person, or a pause of its own, last changed it',
      counted: 'what its group counted for it: epoch, fires, bytes',
      pause: 'since when, by whom, until when, and what a resume may make up',
      making_up: 'what a resume asked for and the tick has not created yet',
      remaining_runs: 'occurrences that `maxRuns` leaves to create',
      last_run_at: 'time of the last run, once `maxRuns` is used up',
      zone_data: 'version of the zone data that its next time was computed with',
      zone_move: 'what new zone data moved, until that time is planned',
      next_due_at: 'index `due`: when the tick has to look at it; absent when never',
      shard: 'index `due`: hash of its id',
      group: 'index `by_group`; absent from tombstones',
      name: 'index `by_group`; absent from tombstones',
      purge_at: 'tombstones: when the last record of the schedule is gone',
    },
    examples: [headItem(HEAD, DEPLOYMENT.shards, DEPLOYMENT.retentionDays)],
  },
  {
    title: 'Revision',
    key: '`S#<group>/<name>`, `R#<number, ten digits>`',
    about:
      'A definition as it was written. It never changes and is never purged, so that the past can be explained.',
    writers: [
      ['API, or the sweep for the canary: create, edit', 'it is absent; in the transaction of the head'],
    ],
    attributes: {
      definition: 'the whole definition as JSON text',
      calendars: 'calendars with the version that it was made with',
      created_at: 'when it was written',
      created_by: 'who wrote it',
      key_since:
        'places the limit of its shared key after the one that was in force, where `created_at` would not',
    },
    examples: [revisionItem(revision(HEAD, DEFINITION))],
  },
  {
    title: 'Backfill',
    key: '`S#<group>/<name>`, `B#<id>`',
    about:
      'Runs a range of past times, a few at a time. The tick finds it in the index `due` and moves its cursor.',
    writers: [
      [
        'API: create, pause, resume, cancel',
        'it is absent and the schedule is live (create), or `version` is as read',
      ],
      [
        'tick: create occurrences, count ends',
        '`version` is as read; in one transaction with the occurrences',
      ],
    ],
    attributes: {
      state: '`running`, `paused`, `cancelled` or `completed`',
      version: 'one more with each write',
      revision: 'definition that its times and runs come from',
      from: 'first time of the range',
      to: 'last time of the range',
      order: '`oldest-first` or `newest-first`',
      max_concurrent: 'limit of the slot `backfill:<id>`',
      reprocess: '`none`, `failed` or `all`',
      cursor: 'next time to decide on; absent when all are decided',
      open: 'times whose occurrence has not been seen to end',
      counts: 'how many there are, and how they ended',
      retention_days: 'as on the head',
      created_at: 'when it was created',
      created_by: 'who created it',
      updated_at: 'when it was last written',
      finished_at: 'when it completed or was cancelled',
      reason: 'why it was cancelled',
      next_due_at: 'index `due`',
      shard: 'index `due`',
      purge_at: 'seven days after its last occurrence',
    },
    examples: [
      backfillItem(
        {
          schedule: ID,
          id: '01KJN0Q2V0ABCDEF',
          revision: 3,
          state: 'running',
          version: 4,
          from: at(-10 * DAY),
          to: at(-DAY),
          order: 'oldest-first',
          maxConcurrent: 2,
          reprocess: 'none',
          cursor: at(-8 * DAY),
          open: [at(-9 * DAY)],
          counts: { total: 7, skipped: 0, created: 2, succeeded: 1, failed: 0, cancelled: 0 },
          nextDueAt: at(60_000),
          createdAt: NOON,
          createdBy: CALENDAR.updatedBy,
          updatedAt: NOON,
        },
        DEPLOYMENT.shards,
        DEPLOYMENT.retentionDays,
      ),
    ],
  },
  {
    title: 'Watch',
    key: '`S#<group>/<name>`, `WATCH`',
    about:
      'Of a schedule with `expectSuccessWithin`: when it last succeeded, and when the sweep looks at it next.',
    writers: [
      ['API: create, edit, resume', 'none; in the transaction of the head'],
      ['worker, API, sweep: a success', 'it exists and the success is newer than the one noted'],
      ['sweep: look later, end', '`next_due_at` is as read'],
    ],
    attributes: {
      [LAST_SUCCESS_ATTRIBUTE]: 'end of the latest success',
      next_due_at: 'index `due`: when to look',
      shard: `index \`due\`: ${WATCH_SHARD}`,
      purge_at: 'a day after it ended',
    },
    examples: [{ ...watchKey(ID), [LAST_SUCCESS_ATTRIBUTE]: NOON, next_due_at: at(DAY), shard: WATCH_SHARD }],
  },
  {
    title: 'Calendar',
    key: '`CALENDARS`, `<name>`',
    about: 'Says which version of a calendar is the latest. All stand in one partition, for lists.',
    writers: [['API: put, delete', '`version` is as read, or it is absent']],
    attributes: {
      version: 'the latest; goes on counting after a deletion',
      updated_at: 'when it was last put or deleted',
      updated_by: 'by whom',
      deleted: 'it was deleted',
    },
    examples: [calendarItem(CALENDAR)],
  },
  {
    title: 'Version of a calendar',
    key: '`K#<calendar>`, `V#<number, ten digits>`',
    about: 'Immutable. Heads and revisions name it.',
    writers: [['API: put', 'it is absent; in the transaction of the calendar']],
    attributes: {
      dates: 'closed dates',
      closed_weekdays: 'closed weekdays',
      timezone: 'zone of the dates, where it is not that of the schedule',
    },
    examples: [calendarVersionItem(CALENDAR)],
  },
  {
    title: 'User of a calendar',
    key: '`K#<calendar>`, `S#<group>/<name>`',
    about: 'An edit of a calendar finds its schedules by these, and a delete is refused while there are any.',
    writers: [['API: create, edit, delete of the schedule', 'none; in the transaction of the head']],
    attributes: {},
    examples: [{ ...calendarUserKey('holidays-de', ID) }],
  },
  {
    title: 'Group',
    key: '`G#<group>`, `GROUP`',
    about: 'Settings of a group, and what is counted while it has a quota.',
    writers: [
      ['API: put the settings', 'none'],
      [
        'API: create, edit, delete of a schedule',
        '`epoch` and `version` are as read, and the quota has room',
      ],
      [
        'API: trigger, replay, backfill',
        '`version` and the started minute are as read, and the quota has room',
      ],
      ['tick: delete a completed schedule', '`epoch` is as read'],
    ],
    attributes: {
      version: 'one more with each write of the settings',
      concurrency_limit: 'how many run at once',
      max_schedules: 'quota',
      max_fires_per_minute: 'quota',
      max_input_bytes: 'quota',
      epoch: 'time of the first quota; what heads counted under another one means nothing',
      use_schedules: 'counted schedules',
      use_fires: 'sum of their busiest minutes',
      use_bytes: 'sum of their inputs',
      started_minute: 'the minute in which people last started something',
      started_fires: 'how much they started in it',
    },
    examples: [
      {
        ...groupKey('billing'),
        version: 2,
        concurrency_limit: 20,
        max_schedules: 100,
        epoch: NOON,
        use_schedules: 14,
        use_fires: 31,
        use_bytes: 4_210,
      },
    ],
  },
  {
    title: 'Idempotency record',
    key: '`I#<key>`, `IDEMPOTENCY`',
    about: 'A request with an `Idempotency-Key` that was carried out.',
    writers: [['API', 'it is absent or has run out; in the transaction of the request']],
    attributes: {
      request_hash: 'the same key with another request is refused',
      result: 'what the request made',
      purge_at: 'a day later',
    },
    examples: [idempotencyItem({ key: '5f2c', requestHash: 'b1946ac9', result: ID }, NOON)],
  },
  {
    title: 'Held by a pause',
    key: '`S#<group>/<name>`, `H#<time>`',
    about: 'What a pause held, and its end is to bring back; the time is that of the pause.',
    writers: [
      ['API: resume', 'none; in its transaction'],
      ['tick: end of a pause', 'none; in its transaction'],
      ['tick: look at it', '`next_due_at` is there'],
    ],
    attributes: {
      since: 'when the pause began',
      through: 'when it ended',
      next_due_at: 'when the tick is to look; absent once all is back',
      shard: 'as that of the head',
      cursor: 'where the tick goes on',
      purge_at: 'a day after all is back',
    },
    examples: [
      {
        ...revivalKey({ id: ID, since: NOON }),
        since: NOON,
        through: at(600_000),
        next_due_at: at(660_000),
        shard: 5,
      },
    ],
  },
  {
    title: 'Lease of a shard',
    key: '`SHARD#<number>`, `LEASE`',
    about: 'Saves ticks from doing the same work. Correctness does not rest on it.',
    writers: [
      ['tick: acquire', 'it is free, expired or already its own'],
      ['tick: release', 'it holds the lease, and `scanned_through` does not go back'],
      ['tick: walk over zone data', 'none'],
    ],
    attributes: {
      holder: 'the tick that has it',
      lease_expires_at: 'when the lease ends',
      scanned_through: 'up to when the shard is planned',
      zone_data: 'latest version of the zone data that the shard was walked for',
      walking: 'version that a walk under way is for',
      walked_to: 'how far that walk is',
      older_tick_at: 'when a tick with older zone data was last here',
    },
    examples: [
      { ...shardKey(3), holder: 'tick-7d9a', lease_expires_at: at(55_000), scanned_through: at(120_000) },
    ],
  },
  {
    title: 'Count of shards',
    key: '`SHARDS`, `COUNT`',
    about: 'The largest shard count ever used: all of these shards go on being read.',
    writers: [['tick, sweep', 'it is absent or smaller']],
    attributes: { largest: 'the count' },
    examples: [{ ...SHARD_COUNT_KEY, largest: 16 }],
  },
  {
    title: 'Memory of the sweep',
    key: '`SHARDS`, `SWEEP#<name>`',
    about: 'Where the last sweep stopped, and what it handed over.',
    writers: [['sweep', 'none: the next one writes it anew']],
    attributes: { memory: 'JSON text' },
    examples: [{ ...sweepMemoryKey('open'), memory: '{"positions":{},"handOver":{}}' }],
  },
];
