import type * as z from 'zod';
import type { planBody, planView } from '../contract/api/plan.ts';
import { compileCached } from '../core/recurrence/index.ts';
import { type EpochMs, parseInstant } from '../core/time.ts';
import { dstOf } from './definition.ts';
import { firesAfter } from './plan-fires.ts';

/** What an expression would do, without a schedule. `H` has no id to be seeded by here and says so little. */
export function planExpression(body: z.output<typeof planBody>, now: EpochMs): z.output<typeof planView> {
  const from = (body.from === undefined ? undefined : parseInstant(body.from)) ?? now;
  const { expression, timezone, dst } = body;
  const recurrence = compileCached(
    { expression, timezone, ...(dst && dstOf(dst)) },
    { seed: '', anchor: from },
  );
  return {
    fires: firesAfter(recurrence, timezone, from, body.count),
    warnings: [...recurrence.warnings(from)],
    description: recurrence.description,
  };
}
