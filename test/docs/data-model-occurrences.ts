import { attention } from '../../lambdas/adapters/dynamodb/attention/attention-buckets.ts';
import { catchUpTallyKey, stripeKey } from '../../lambdas/adapters/dynamodb/keys.ts';
import { coalescedItem, pendingItem } from '../../lambdas/adapters/dynamodb/occurrences/occurrence-items.ts';
import { occurrenceId, scheduleId } from '../../lambdas/core/ids.ts';
import { at, NOON } from '../support/fixtures.ts';

/** One kind of item, in words. */
export interface ItemKind {
  readonly title: string;
  readonly key: string;
  readonly about: string;
  /** Who writes it, and under which condition. */
  readonly writers: readonly (readonly [string, string])[];
  readonly attributes: Readonly<Record<string, string>>;
  readonly examples: readonly Readonly<Record<string, unknown>>[];
}

const ID = scheduleId('billing', 'invoices');
const KEY = { schedule: ID, scheduledTime: at(3_600_000), revision: 3, kind: 'scheduled' } as const;
const PENDING = pendingItem({ ...KEY, dueAt: at(3_600_000), notes: [] }, 16, NOON);
const STARTED = {
  attempt: 1,
  fencing_token: 1,
  started_at: at(3_600_012),
  attempt_started_at: at(3_600_012),
};
const { open_shard: _, ...ENDED } = PENDING;

export const OCCURRENCE_KINDS: readonly ItemKind[] = [
  {
    title: 'Occurrence',
    key: '`S#<group>/<name>`, `O#<scheduled time>#<revision>`, with `#manual#<token>` or `#backfill#<id>` behind it',
    about:
      'One run of a schedule, from before it is due until its record is purged. Its key is derived, so creating it twice is impossible. ' +
      'Each move but the claim adds one to `dispatch_seq`.',
    writers: [
      ['tick, API: create', 'the key is free; in the transaction that advances or changes the head'],
      [
        'worker, API (pull): claim',
        'it is pending, due, within `start_by`, and `dispatch_seq` is as in the message',
      ],
      ['worker, API: renew, settle', 'it is running under the same `fencing_token`'],
      ['sweep: end an expired lease', '`fencing_token` and `lease_expires_at` are as read'],
      ['sweep: send again', 'it is pending, and `dispatch_seq` and `sends` are as read'],
      ['API, worker, tick: cancel, skip, move, replay', 'status and `dispatch_seq` are as read'],
      ['whoever finds or frees a place: park, wake', 'it is pending and `dispatch_seq` is as read'],
    ],
    attributes: {
      status: '`pending`, `running`, `succeeded`, `failed`, `cancelled`, `skipped`, `missed` or `coalesced`',
      due_at: 'when it may start; index `open`',
      first_due_at: 'when it was first due; `maxAge` and the start deadline count from it',
      open_shard: 'index `open`; absent once it has ended',
      dispatch_seq: 'identifies an attempt to come: messages and places belong to one value',
      sends: 'times that it was sent again unchanged',
      redispatches: 'times that the sweep sent it again',
      redispatched_at: 'when it was last sent again',
      direct_seq:
        'the sequence under which the worker that woke it starts it itself, so that no message is sent',
      attempt: 'attempts begun',
      fencing_token: 'one more with each claim; targets see it',
      round_base: 'attempts before the present round; a replay begins a new one',
      replays: 'times that a person asked for it again',
      input_revision: 'revision whose input a replay uses',
      input_override: 'input given with a trigger, as JSON text',
      overlap: 'overlap policy given with a trigger',
      secret: 'random part of the completion token',
      pull_queue: 'queue that outside workers claim it from',
      is_ahead: 'a person made it before the planner came to its time',
      retention_days: 'days that it is kept, from the head; absent: as the deployment says',
      attempts: 'how its attempts ended, ten at most',
      notes: 'what is worth knowing about its time, such as a shift by DST',
      created_at: 'when it was created',
      start_by: 'it must not start after this',
      started_at: 'start of its first attempt',
      holder: 'who has the lease',
      lease_expires_at: 'when the lease ends',
      attempt_started_at: 'start of the attempt under way',
      cancel_reason: 'somebody asked that it be stopped',
      detached: 'the attempt goes on outside, without its worker',
      waiting_for: 'slot that it waits for',
      waiting_shard: 'index `waiting`: hash of the slot',
      waiting_key: 'index `waiting`: slot and place in its line',
      waits: 'times that it waited before the attempt to come',
      waited: 'the attempt under way had to wait for a slot',
      arrived: 'it was there in time and found a slot full',
      places: 'its places: slot → stripe',
      kept: 'places that it keeps over retries, and since which sequence',
      through: 'where a look for what is left of its schedule begins',
      finished_at: 'when it ended',
      reason: 'why it ended so',
      blocked_by: 'the occurrence that was in its way',
      attention_day: 'index `attention`: day and bucket, or pull queue and bucket',
      attention_at: 'index `attention`: when it ended, or is due',
      purge_at: 'once it has ended',
    },
    examples: [
      PENDING,
      { ...PENDING, ...STARTED, status: 'running', holder: 'worker-19c4', lease_expires_at: at(3_660_012) },
      {
        ...ENDED,
        attempt: 1,
        fencing_token: 1,
        started_at: STARTED.started_at,
        dispatch_seq: 2,
        status: 'failed',
        reason: 'not-retryable',
        finished_at: at(3_600_480),
        attempts: [
          {
            attempt: 1,
            startedAt: STARTED.started_at,
            finishedAt: at(3_600_480),
            outcome: 'failed',
            detail: '404 Not Found',
          },
        ],
        ...attention(KEY, at(3_600_480)),
        purge_at: Math.floor(at(3_600_480) / 1_000) + 30 * 86_400,
      },
    ],
  },
  {
    title: 'Range of times that did not run',
    key: '`S#<group>/<name>`, `O#<first time>#<revision>#range#<token>`',
    about:
      'One record for many times that a catch-up policy or a pause left out. It is finished from the start.',
    writers: [['tick, worker, API', 'the key is free']],
    attributes: {
      coalesced: 'how many times, the first and the last',
      reason: 'which policy left them out',
    },
    examples: [
      coalescedItem(
        {
          schedule: ID,
          scheduledTime: NOON,
          revision: 3,
          kind: 'range',
          token: 'catch-up',
          reason: 'catch-up',
          coalesced: { count: 12, from: NOON, to: at(3_300_000) },
        },
        { retentionDays: 30 },
        at(3_600_000),
      ),
    ],
  },
  {
    title: 'Tally of a catch-up',
    key: '`S#<group>/<name>`, `CATCH-UP`',
    about:
      'Which late times of a schedule run, so that workers that come back one by one do not exceed the budget.',
    writers: [['worker, tick', '`version` is one more than what was read, or it is absent']],
    attributes: {
      version: 'one more with each write',
      runs: 'the late times that run',
      asked_at: 'when this was decided',
      purge_at: 'a day later',
    },
    examples: [
      {
        ...catchUpTallyKey(ID),
        version: 1,
        runs: [NOON],
        asked_at: at(3_600_000),
        purge_at: Math.floor(at(90_000_000) / 1_000),
      },
    ],
  },
  {
    title: 'Stripe of a slot',
    key: '`C#<slot>#<stripe>`, `SLOT`',
    about:
      'Ten places at most of a concurrency slot: of a schedule, a shared key, a group or a backfill. An entry belongs to one attempt and ' +
      'is removed only by somebody who has seen that attempt dead. Names are short, since each claim pays for the size.',
    writers: [
      [
        'worker, API (pull): take a place',
        'it has room under the limit in force, and nobody waits (unless woken)',
      ],
      ['whoever has seen an attempt dead: give back, hand over', 'the entry has the sequence that was seen'],
      ['whoever writes or meets a newer limit: resize', '`since` is not later, and `epoch` is as read'],
    ],
    attributes: {
      h: 'entries: occurrence id → `dispatch_seq` of the attempt',
      cap: 'how many this stripe may hold',
      limit: 'limit of the whole slot; absent: none',
      since: 'when that limit was decided',
      stripes: 'how many stripes the slot has',
      epoch: 'one more with each change of the limit',
      settled: 'the epoch up to which a resize is complete',
      line: 'somebody waits',
      idle: 'since when nobody has been seen waiting',
      through: 'where a look for what is left of its schedule begins',
      purge_at: 'once it is empty for good',
    },
    examples: [
      {
        ...stripeKey({ slot: 'key:invoices-api', stripe: 0 }),
        h: { [occurrenceId(KEY)]: 1 },
        cap: 3,
        limit: 3,
        since: NOON,
        stripes: 1,
        epoch: 1,
        settled: 1,
      },
    ],
  },
];
