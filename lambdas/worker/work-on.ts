import type { WorkMessage } from '../contract/message.ts';
import type { Places } from '../core/ids.ts';
import type { Dispatch } from '../core/occurrence/dispatch.ts';
import type { StartNext } from '../core/slots/hand-over.ts';
import { type EpochMs, epochMs, SECOND } from '../core/time.ts';
import { type WorkDeps, type WorkEnd, work } from './work.ts';

/**
 * How long a worker starts by itself what its ends let in. After that those that wait for a slot go through the work queue
 * again, which is fair to all others. The longest attempt (14 minutes) still fits what is left of an invocation (15).
 */
const WORK_ON = 20 * SECOND;

export type WorkOnDeps = WorkDeps & {
  /** What became of each, before what it let in is begun. */
  readonly onEnd: (end: WorkEnd) => Promise<void> | void;
  /** One that was to be started here could not be; it is sent to the work queue. */
  readonly onFault: (id: string, error: unknown) => void;
};

/**
 * Works on a message, and then on whatever its end freed a place for: by way of the stream and the queue that would start
 * a good deal later, behind all that waits for a worker. What fails of that does not concern the message: it is sent.
 */
export async function workOn(
  deps: WorkOnDeps,
  message: WorkMessage,
  holder: string,
  until: EpochMs = epochMs(deps.clock.now() + WORK_ON),
  holds?: Places,
): Promise<void> {
  const started: Promise<void>[] = [];
  const startNext: StartNext = (woken, places) => {
    started.push(startOrSend(deps, woken, places, holder, until));
  };
  // Asked when it ends: an attempt may take long.
  const occurrences = {
    ...deps.occurrences,
    settle: (...[running, end, now]: Parameters<WorkDeps['occurrences']['settle']>) =>
      deps.occurrences.settle(running, end, now, now < until ? startNext : undefined),
  };
  try {
    await deps.onEnd(await work({ ...deps, occurrences }, message, holder, holds));
  } finally {
    await Promise.all(started);
  }
}

async function startOrSend(
  deps: WorkOnDeps,
  woken: Dispatch,
  holds: Places,
  holder: string,
  until: EpochMs,
): Promise<void> {
  const { id, seq, dueAt, places } = woken;
  try {
    await workOn(deps, { id, seq, dueAt, ...(places && { places }) }, holder, until, holds);
  } catch (error) {
    deps.onFault(id, error);
    // Should this fail too, the sweep finds that it was promised a place and has not begun.
    await deps.queue.send([woken], deps.clock.now()).catch(() => undefined);
  }
}
