import assert from 'node:assert/strict';
import type { OccurrenceView } from '../../../lambdas/api/occurrences/occurrence-schema.ts';
import type { ScheduleView } from '../../../lambdas/api/schedules/schema/schedule-schema.ts';
import { at, inSeconds } from '../support/timing.ts';
import type { World } from '../support/world.ts';

const RACES = 3;

/** A schedule that is due each second is always about to start: whenever it is changed, that is a race. */
export async function changesTakeEffectAtOnce({ api, arrivals, targets }: World): Promise<string> {
  const id = 'e2e/changes';
  await api.create(id, {
    expression: '* * * * * *',
    target: targets.sqs,
    overlap: 'allow',
    // So that an edit replaces few occurrences, not the ninety that are planned at most.
    endAt: inSeconds(60).toISOString(),
    input: { edit: 0 },
  });
  await arrivals.wait(id, 1, 20_000);
  const changed: { readonly revision: number; readonly at: number }[] = [];
  for (let edit = 1; edit <= RACES; edit += 1) {
    const { revision } = await api.must<ScheduleView>('PATCH', `/schedules/${id}`, { input: { edit } });
    changed.push({ revision: revision - 1, at: Date.now() });
    // It goes on under the new definition.
    await arrivals.until(id, 20_000, (call) => call.revision === revision);
  }
  const { revision } = await api.must<ScheduleView>('POST', `/schedules/${id}/pause`, { note: 'a race' });
  changed.push({ revision, at: Date.now() });
  // Due after the pause and called: what was due before it has had its time.
  const witness = 'e2e/changes-witness';
  await api.create(witness, { expression: at(inSeconds(3)), target: targets.sqs });
  await arrivals.wait(witness, 1, 20_000);
  await api.settled(witness);

  const ledger = await api.ledger(id);
  for (const { revision, at } of changed) {
    const late = ledger.filter(
      (one) => one.revision <= revision && wasCalled(one) && Date.parse(one.startedAt ?? '') > at,
    );
    assert.deepEqual(late, [], `Of revision ${revision} something started after the change had returned.`);
  }
  const open = ledger.filter(({ status }) => status === 'pending' || status === 'running');
  assert.deepEqual(open, []);
  const cancelled = ledger.filter(({ status }) => status === 'cancelled').length;
  const ran = ledger.filter(({ status }) => status === 'succeeded').length;
  assert(cancelled > 0 && ran >= RACES);
  return `${RACES} edits and a pause: ${ran} ran, ${cancelled} cancelled, none of an old definition afterwards`;
}

/** One that was claimed, and given up because its definition was no longer in force, has no attempt. */
const wasCalled = ({ status, attempts }: OccurrenceView) => status !== 'cancelled' || attempts.length > 0;

/** Of edits that were made of the same version, one is made. */
export async function oneEditWins({ api, targets }: World): Promise<string> {
  const id = 'e2e/contended';
  await api.create(id, { expression: '0 9 * * *', target: targets.sqs });
  const { etag } = await api.send('GET', `/schedules/${id}`);
  assert(etag !== null);
  const answers = await Promise.all(
    ['a', 'b', 'c'].map((description) =>
      api.send('PATCH', `/schedules/${id}`, { description }, { 'if-match': etag }),
    ),
  );
  const statuses = answers.map(({ status }) => status).toSorted();
  assert.deepEqual(statuses, [200, 412, 412]);
  const { description } = await api.must<ScheduleView>('GET', `/schedules/${id}`);
  const winner = answers.find(({ status }) => status === 200)?.body as ScheduleView;
  assert.equal(description, winner.description);
  return `answers ${statuses.join(', ')}`;
}
