/**
 * What answers cost, in steps of some fifty nanoseconds: a question to a source, a day that a rule looks at, a stretch
 * of excluded time. Counted and not timed, so that a bound on it cuts off at the same place on any machine. Only
 * differences mean something; what memory has answered already costs nothing.
 */
let steps = 0;

export function spend(count = 1): void {
  steps += count;
}

/** A function that says how many steps were taken since. */
export function measureWork(): () => number {
  const before = steps;
  return () => steps - before;
}
