import type { ScheduleHead, ScheduleState } from './head.ts';

/**
 * How a schedule stands as a person would say it. Its last times may be planned, so that its head is completed, and
 * something of it may still be to come, wait for a retry or run: it is enabled until nothing is open.
 */
export async function shownStateOf(
  { id, state }: Pick<ScheduleHead, 'id' | 'state'>,
  openOf: (id: ScheduleHead['id']) => Promise<readonly unknown[]>,
): Promise<ScheduleState> {
  if (state !== 'completed') return state;
  return (await openOf(id)).length > 0 ? 'enabled' : 'completed';
}
