/**
 * How many invocations an event source mapping keeps under way, and how fast it receives (AWS: Configuring scaling
 * behavior for SQS event source mappings).
 */
export interface Pollers {
  /**
   * `default`: 5 batches at a time, and 300 more a minute while there is a backlog. `provisioned`: ten invocations and
   * ten receives a second for each poller, and up to 100 pollers more a minute.
   */
  readonly kind: 'default' | 'provisioned';
  /** Processes of the default kind, or pollers: at first, and at most. */
  readonly least: number;
  readonly most: number;
  /** AWS gives the growth of a minute and not its course: one by one, or all when the minute is over. */
  readonly growth: 'evenly' | 'by-minute';
}

const PER_MINUTE = { default: 300, provisioned: 100 };
const MINUTE = 60_000;

/** AWS: five batches to begin with. */
export const DEFAULT_START = 5;

/** How many receive, `elapsed` milliseconds after the first message was there. */
export function processesAt({ kind, least, most, growth }: Pollers, elapsed: number): number {
  const minutes = Math.max(0, elapsed) / MINUTE;
  const grown = growth === 'evenly' ? minutes : Math.floor(minutes);
  // A whole number of steps must not fall short by a rounding.
  return Math.min(most, Math.floor(least + PER_MINUTE[kind] * grown + 1e-6));
}

/** What each of them can do. */
export function slotsOf({ kind }: Pollers): { readonly slots: number; readonly receiveEveryMs: number } {
  return kind === 'provisioned' ? { slots: 10, receiveEveryMs: 100 } : { slots: 1, receiveEveryMs: 0 };
}

/** Milliseconds between two steps of growth. */
export function growthStep({ kind, growth }: Pollers): number {
  return growth === 'by-minute' ? MINUTE : MINUTE / PER_MINUTE[kind];
}
