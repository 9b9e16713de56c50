import assert from 'node:assert/strict';
import type { Resources } from '../support/resources.ts';
import { until } from '../support/until.ts';

/** Everything that had been there is gone, as the services themselves say. */
export async function nothingIsLeft(resources: Resources): Promise<string> {
  assert(resources.before.length > 0);
  let left: readonly string[] = resources.before;
  // AWS shows a deleted queue for up to a minute.
  await until(
    'all resources are gone',
    90_000,
    async () => {
      left = await resources.now();
      return left.length === 0 || undefined;
    },
    () => left,
  );
  return `${resources.before.length} tables, queues, functions, rules and mappings are gone`;
}
