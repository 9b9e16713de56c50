import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { splitScheduleId } from '../../../core/ids.ts';
import type { FencedResult } from '../../../core/ports/fenced-result.ts';
import type { Counted } from '../../../core/schedule/group.ts';
import type { ScheduleHead } from '../../../core/schedule/head.ts';
import type { EpochMs } from '../../../core/time.ts';
import type { StoreContext } from '../client.ts';
import { and, type Expression, expression, headUnchanged, placeholders } from '../conditions.ts';
import { refundAction } from '../groups/group-items.ts';
import { headKey } from '../keys.ts';
import { tombstonePurgeAt } from '../schedules/head-items.ts';
import { transact } from '../transact.ts';

/**
 * Leaves the tombstone that a delete leaves (head-items.ts), and nothing to cancel: no occurrence is open. What is
 * counted for it in its group is given back with it, unless the group is not counted that way any more.
 */
export function retire(context: StoreContext, head: ScheduleHead, now: EpochMs): Promise<FencedResult> {
  const gone = ['next_due_at', 'shard', 'group', 'name', 'oldest_revision', 'adopted_through', 'counted'];
  const update = expression(
    'SET #state = :deleted, updated_at = :now, purge_at = :purge_at ADD #version :one ' +
      `REMOVE ${gone.map((name) => `#${name}`).join(', ')}`,
    ['state', 'version', ...gone],
    {
      ':deleted': 'deleted',
      ':now': now,
      ':purge_at': tombstonePurgeAt(head, context.retentionDays, now),
      ':one': 1,
    },
  );
  return head.counted ? refunded(context, head, head.counted, update) : move(context, head, update);
}

async function refunded(
  context: StoreContext,
  head: ScheduleHead,
  counted: Counted,
  update: Expression,
): Promise<FencedResult> {
  const { group } = splitScheduleId(head.id);
  const result = await transact(context.client, [
    { Update: movement(context, head, update) },
    refundAction(context, group, counted),
  ]);
  if (result.kind === 'committed') return { kind: 'done' };
  return result.failed.has(0) ? { kind: 'lost-lease' } : move(context, head, update);
}

export function retireLater(context: StoreContext, head: ScheduleHead, at: EpochMs): Promise<FencedResult> {
  return move(context, head, expression('SET next_due_at = :at', [], { ':at': at }));
}

function movement(context: StoreContext, head: ScheduleHead, update: Expression) {
  const condition = and(
    headUnchanged(head),
    expression('#state = :completed', ['state'], { ':completed': 'completed' }),
  );
  return {
    TableName: context.schedulesTable,
    Key: headKey(head.id),
    UpdateExpression: update.text,
    ConditionExpression: condition.text,
    ...placeholders(update, condition),
  };
}

async function move(context: StoreContext, head: ScheduleHead, update: Expression): Promise<FencedResult> {
  try {
    await context.client.send(new UpdateCommand(movement(context, head, update)));
    return { kind: 'done' };
  } catch (error) {
    // An edit, a resume or another tick was first.
    if (error instanceof ConditionalCheckFailedException) return { kind: 'lost-lease' };
    throw error;
  }
}
