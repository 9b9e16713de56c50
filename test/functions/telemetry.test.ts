import type { Context } from 'aws-lambda';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { METRIC, METRIC_NAMESPACE } from '../../lambdas/contract/metrics.ts';

const context = { awsRequestId: 'r', functionName: 'f', getRemainingTimeInMillis: () => 1_000 } as Context;
const written: string[] = [];

beforeEach(() => {
  vi.stubEnv('POWERTOOLS_SERVICE_NAME', 'stack-a');
  vi.resetModules();
  written.length = 0;
  vi.spyOn(process.stdout, 'write').mockImplementation((line) => written.push(String(line)) > 0);
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const emf = () => written.map((line) => JSON.parse(line)).filter((line) => '_aws' in line);

describe('an observed handler', () => {
  it('emits what it counted as one EMF line under the name of its stack', async () => {
    const { count, withObservability } = await import('../../lambdas/adapters/telemetry.ts');
    const handler = withObservability(async () => count(METRIC.ticksCompleted, 1));
    await handler({}, context);
    expect(emf()).toMatchObject([{ service: 'stack-a', [METRIC.ticksCompleted]: 1 }]);
    expect(emf()[0]._aws.CloudWatchMetrics[0].Namespace).toBe(METRIC_NAMESPACE);
  });

  it('emits what it counted before it failed', async () => {
    const { count, withObservability } = await import('../../lambdas/adapters/telemetry.ts');
    const handler = withObservability(async () => {
      count(METRIC.materialiseRacesLost, 2);
      throw new Error('broken');
    });
    await expect(handler({}, context)).rejects.toThrow('broken');
    expect(emf()).toMatchObject([{ [METRIC.materialiseRacesLost]: 2 }]);
  });

  it('pays for no metric of events when there were none, and says a level also when it is 0', async () => {
    const { count, gauge, withObservability } = await import('../../lambdas/adapters/telemetry.ts');
    await withObservability(async () => {
      count(METRIC.leasesExpired, 0);
      gauge(METRIC.overdueOccurrences, 0);
    })({}, context);
    expect(emf()).toMatchObject([{ [METRIC.overdueOccurrences]: 0 }]);
    expect(emf()[0]).not.toHaveProperty(METRIC.leasesExpired);
  });

  it('says nothing when there was nothing to count', async () => {
    const { withObservability } = await import('../../lambdas/adapters/telemetry.ts');
    await withObservability(async () => {})({}, context);
    expect(written).toEqual([]);
  });
});
