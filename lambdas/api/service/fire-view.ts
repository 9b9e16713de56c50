import type * as z from 'zod';
import type { PreviewFire } from '../../core/recurrence/index.ts';
import type { fireView } from './plan-schema.ts';

export function fireViewOf({ scheduledTime, local, notes }: PreviewFire): z.output<typeof fireView> {
  return { scheduledTime, local, notes: [...notes] };
}
