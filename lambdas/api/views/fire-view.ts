import type * as z from 'zod';
import type { fireView } from '../../contract/api/plan.ts';
import type { PreviewFire } from '../../core/recurrence/index.ts';

export function fireViewOf({ scheduledTime, local, notes }: PreviewFire): z.output<typeof fireView> {
  return { scheduledTime, local, notes: [...notes] };
}
