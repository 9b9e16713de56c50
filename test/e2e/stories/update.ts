import assert from 'node:assert/strict';
import type { World } from '../support/world.ts';

/** A one-shot that has ended. */
const KEPT = 'e2e/worker-dies';

/** Another setting is deployed: functions have it, and what was stored is as it was. */
export async function dataIsKept(
  { api, deployed }: World,
  memoryMb: number,
  update: () => Promise<void>,
): Promise<string> {
  const before = await deployed.worker();
  const stored = () => Promise.all([api.must('GET', `/schedules/${KEPT}`), api.ledger(KEPT)]);
  const kept = await stored();
  await update();
  const after = await deployed.worker();
  assert.notEqual(before.MemorySize, memoryMb);
  assert.equal(after.MemorySize, memoryMb);
  assert.deepEqual(await stored(), kept);
  return `worker memory ${before.MemorySize} MB, then ${after.MemorySize} MB; schedule and ledger are as they were`;
}
