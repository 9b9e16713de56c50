import type * as z from 'zod';
import type { groupBody, groupView } from '../contract/api/group.ts';
import type { Schedules } from './deps.ts';

type GroupView = z.output<typeof groupView>;

/** Any name is that of a group: one that nothing was said about has no limit. */
export async function getGroup(
  deps: { readonly schedules: Pick<Schedules, 'readGroup'> },
  group: string,
): Promise<GroupView> {
  const settings = await deps.schedules.readGroup(group);
  return { group, concurrencyLimit: settings?.concurrencyLimit ?? null };
}

/** In force within seconds: workers remember a limit that long. What runs already goes on. */
export async function setGroup(
  deps: { readonly schedules: Pick<Schedules, 'writeGroup'> },
  group: string,
  { concurrencyLimit }: z.output<typeof groupBody>,
): Promise<GroupView> {
  await deps.schedules.writeGroup(group, concurrencyLimit === null ? {} : { concurrencyLimit });
  return { group, concurrencyLimit };
}
