import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { FencedResult } from '../../core/ports.ts';
import type { ScheduleHead } from '../../core/schedule.ts';
import type { EpochMs } from '../../core/time.ts';
import type { StoreContext } from './client.ts';
import { and, type Expression, expression, headUnchanged, placeholders } from './conditions.ts';
import { tombstonePurgeAt } from './head-items.ts';
import { headKey } from './keys.ts';

/** Leaves the tombstone that a delete leaves (head-items.ts), and nothing to cancel: no occurrence is open. */
export function retire(context: StoreContext, head: ScheduleHead, now: EpochMs): Promise<FencedResult> {
  const gone = ['next_due_at', 'shard', 'group', 'name', 'oldest_revision'];
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
  return move(context, head, update);
}

export function retireLater(context: StoreContext, head: ScheduleHead, at: EpochMs): Promise<FencedResult> {
  return move(context, head, expression('SET next_due_at = :at', [], { ':at': at }));
}

async function move(context: StoreContext, head: ScheduleHead, update: Expression): Promise<FencedResult> {
  const condition = and(
    headUnchanged(head.version, head.nextDueAt),
    expression('#state = :completed', ['state'], { ':completed': 'completed' }),
  );
  try {
    await context.client.send(
      new UpdateCommand({
        TableName: context.schedulesTable,
        Key: headKey(head.id),
        UpdateExpression: update.text,
        ConditionExpression: condition.text,
        ...placeholders(update, condition),
      }),
    );
    return { kind: 'done' };
  } catch (error) {
    // An edit, a resume or another tick was first.
    if (error instanceof ConditionalCheckFailedException) return { kind: 'lost-lease' };
    throw error;
  }
}
