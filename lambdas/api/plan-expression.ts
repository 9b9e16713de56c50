import type * as z from 'zod';
import type { planBody, planView } from '../contract/api/plan.ts';
import { compileCached, preview } from '../core/recurrence/index.ts';
import { type EpochMs, parseInstant } from '../core/time.ts';
import { dstOf } from './definition.ts';
import { fireViewOf } from './views/fire-view.ts';

/** `H` and jitter are hashed from a schedule's id; without a schedule they are as for this one. */
const SEED = '';

/** What an expression would do, without a schedule. Intervals that name no anchor count from `from`. */
export function planExpression(body: z.output<typeof planBody>, now: EpochMs): z.output<typeof planView> {
  const from = (body.from === undefined ? undefined : parseInstant(body.from)) ?? now;
  const { expression, timezone, dst, count } = body;
  const spec = { expression, timezone, ...(dst && dstOf(dst)) };
  const compiled = compileCached(spec, { seed: SEED, anchor: from });
  const { fires, warnings, description } = preview(compiled, { from, count, now, seed: SEED });
  return { fires: fires.map(fireViewOf), warnings: [...warnings], description };
}
