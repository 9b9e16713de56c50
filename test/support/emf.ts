import type { Context } from 'aws-lambda';
import { vi } from 'vitest';
import { withObservability } from '../../lambdas/adapters/telemetry.ts';

/** Longer than any test takes: near its end an invocation is stopped, whatever it is at. */
const getRemainingTimeInMillis = () => 900_000;
const context = { awsRequestId: 'r', functionName: 'f', getRemainingTimeInMillis } as Context;

/** A line of JSON as CloudWatch would get it: a metric document (EMF) or a line of the log. */
// biome-ignore lint/suspicious/noExplicitAny: whatever was written; the test says what it is to be
export type Line = Record<string, any>;

/** Runs a step as an invocation of a deployed function and answers what it wrote. */
export async function invoked(step: () => Promise<unknown> | unknown): Promise<Line[]> {
  const written: string[] = [];
  const write = (line: unknown) => written.push(String(line)) > 0;
  const spies = [process.stdout, process.stderr].map((stream) =>
    vi.spyOn(stream, 'write').mockImplementation(write as never),
  );
  try {
    await withObservability(async () => step())({}, context);
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
  return written.map((line) => JSON.parse(line));
}

/** The values of a metric, one for each document that has it with exactly these dimensions beside the service. */
export function valuesOf(lines: readonly Line[], metric: string, dimensions: Line = {}): number[] {
  const wanted = ['service', ...Object.keys(dimensions)].toSorted().join();
  return lines
    .filter(({ _aws }) => _aws?.CloudWatchMetrics[0].Dimensions[0].toSorted().join() === wanted)
    .filter((line) => Object.entries(dimensions).every(([name, value]) => line[name] === value))
    .flatMap((line) => line[metric] ?? []);
}
