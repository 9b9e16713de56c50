/** Nearest rank. */
export function percentile(values: readonly number[], rank: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((rank / 100) * sorted.length) - 1)] ?? Number.NaN;
}

export interface Check {
  readonly what: string;
  readonly holds: boolean;
}

export function printChecks(checks: readonly Check[]): void {
  for (const { what, holds } of checks) console.log(`  ${holds ? 'ok  ' : 'MISS'}  ${what}`);
}

export const ms = (value: number) => `${value.toFixed(value < 10 ? 1 : 0)} ms`;
