import type { Receiver } from '../test/support/engine-receiver.ts';
import type { Floors } from './pipeline-floors.ts';

/** What every part of the benchmark is given. */
export interface PartOptions {
  readonly apiUrl: string;
  readonly receiver: Receiver;
  readonly floors: Floors;
  /** Fields that all schedules get besides those that a part needs. */
  readonly policy: Readonly<Record<string, unknown>>;
}
