import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { ScheduleId } from '../../../core/ids.ts';
import { purgeTime } from '../../../core/occurrence/retention.ts';
import type { CatchUpTally } from '../../../core/planning/catch-up-tally.ts';
import type { CatchUpTallies } from '../../../core/ports/catch-up-tallies.ts';
import type { EpochMs } from '../../../core/time.ts';
import { batchGet } from '../batch-get.ts';
import type { StoreContext } from '../client.ts';
import { type Expression, expression, placeholders } from '../conditions.ts';
import type { Item } from '../item.ts';
import { catchUpTallyKey, scheduleIdOf } from '../keys.ts';
import type { WriteAction } from '../transact.ts';

/** Days that a tally is kept; minutes after an outage it says nothing any more. */
const KEPT_DAYS = 1;

export function createCatchUpTallies(context: StoreContext): CatchUpTallies {
  const { client, occurrencesTable } = context;
  return {
    async readTallies(schedules) {
      const items = await batchGet(client, occurrencesTable, schedules.map(catchUpTallyKey));
      return new Map(items.map((item) => [scheduleIdOf(item.pk as string), tallyOf(item)]));
    },
    async writeTally(schedule, tally, now) {
      try {
        await client.send(new UpdateCommand(tallyUpdate(context, schedule, tally, now)));
        return { kind: 'done' };
      } catch (error) {
        if (error instanceof ConditionalCheckFailedException) return { kind: 'lost-lease' };
        throw error;
      }
    },
  };
}

/** For the transaction that creates late runs. */
export function tallyAction(
  context: StoreContext,
  schedule: ScheduleId,
  tally: CatchUpTally,
  now: EpochMs,
): WriteAction {
  return { Update: tallyUpdate(context, schedule, tally, now) };
}

/** On the condition that nobody has written it since it was read. */
function tallyUpdate(
  { occurrencesTable }: Pick<StoreContext, 'occurrencesTable'>,
  schedule: ScheduleId,
  { version, runs, askedAt }: CatchUpTally,
  now: EpochMs,
) {
  const update = expression(
    'SET #version = :version, runs = :runs, asked_at = :at, purge_at = :purge_at',
    [],
    {
      ':version': version,
      ':runs': runs,
      ':at': askedAt,
      ':purge_at': purgeTime([now], KEPT_DAYS),
    },
  );
  const condition: Expression =
    version === 1
      ? expression('attribute_not_exists(#version)', ['version'])
      : expression('#version = :seen', ['version'], { ':seen': version - 1 });
  return {
    TableName: occurrencesTable,
    Key: catchUpTallyKey(schedule),
    UpdateExpression: update.text,
    ConditionExpression: condition.text,
    ...placeholders(update, condition),
  };
}

function tallyOf(item: Item): CatchUpTally {
  return {
    version: item.version as number,
    runs: item.runs as EpochMs[],
    askedAt: item.asked_at as EpochMs,
  };
}
