import { SKIPPED } from '../support/python.ts';

/** How many tests of a suite ended how. Skipped tests are neither. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
}

export const NONE: Counts = { passed: 0, failed: 0 };

export function add(a: Counts, b: Counts): Counts {
  return { passed: a.passed + b.passed, failed: a.failed + b.failed };
}

/** The counts of a JUnit report: vitest, schemathesis and the end-to-end report all write one. */
export function countsOf(junit: string): Counts {
  const suites = [...junit.matchAll(/<testsuite\s[^>]*>/g)].map(([tag]) => ({
    tests: attribute(tag, 'tests'),
    failed: attribute(tag, 'failures') + attribute(tag, 'errors'),
    skipped: attribute(tag, 'skipped'),
  }));
  return suites
    .map(({ tests, failed, skipped }) => ({ passed: tests - failed - skipped, failed }))
    .reduce(add, NONE);
}

function attribute(tag: string, name: string): number {
  return Number(tag.match(new RegExp(`\\s${name}="(\\d+)"`))?.[1] ?? 0);
}

/** How a suite's process ended, and what its report says; undefined where it wrote none. */
export interface Ended {
  readonly exitCode: number;
  readonly report: string | undefined;
}

/**
 * What a suite adds to the sum. A suite that ends badly has failed at least once, whatever its report says: it may
 * have died before it could write one, or at something that is no test, such as the type check before the tests.
 */
export function resultOf({ exitCode, report }: Ended): Counts {
  if (exitCode === SKIPPED) return NONE;
  const counts = report === undefined ? NONE : countsOf(report);
  // A suite that says that all is well but has counted nothing has not been run.
  const hasFailed = exitCode !== 0 || counts.passed === 0;
  return hasFailed ? { ...counts, failed: Math.max(counts.failed, 1) } : counts;
}
