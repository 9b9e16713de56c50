import { expect, test } from 'vitest';
import { propertiesOf, resourcesOf, templateOf } from './support/synth.ts';

const FUNCTION = 'AWS::Lambda::Function';
const MAPPING = 'AWS::Lambda::EventSourceMapping';

/** AWS: Lambda quotas; of the account, and what a reservation has to leave to functions without one. */
const ACCOUNT = 1_000;

test('workers leave room to the other functions in an account with the default quota', () => {
  const template = templateOf();
  const { ScalingConfig } = propertiesOf(template, MAPPING, 'WorkerWork') as {
    ScalingConfig: { MaximumConcurrency: number };
  };
  const { ParallelizationFactor } = propertiesOf(template, MAPPING, 'RelayOutbox') as {
    ParallelizationFactor: number;
  };
  // A new table's stream has four shards; two ticks, a sweep and some requests of the API come to that.
  expect(ACCOUNT - ScalingConfig.MaximumConcurrency).toBeGreaterThanOrEqual(4 * ParallelizationFactor + 50);
});

test('nothing is reserved unless a deployment says it: new accounts have nothing that could be', () => {
  for (const [name, { Properties }] of Object.entries(resourcesOf(templateOf(), FUNCTION)))
    expect(Properties, name).not.toHaveProperty('ReservedConcurrentExecutions');
});

test('each function but the worker may have concurrency of its own', () => {
  const template = templateOf({
    tickReservedConcurrency: 3,
    relayReservedConcurrency: 40,
    sweepReservedConcurrency: 2,
    apiReservedConcurrency: 20,
  });
  const reserved = Object.entries(resourcesOf(template, FUNCTION)).flatMap(([name, { Properties }]) =>
    'ReservedConcurrentExecutions' in Properties ? [[name, Properties.ReservedConcurrentExecutions]] : [],
  );
  expect(Object.fromEntries(reserved)).toEqual({
    TickFunction: 3,
    RelayFunction: 40,
    SweepFunction: 2,
    ApiFunction: 20,
  });
});
