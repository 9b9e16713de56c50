import { randomBytes } from 'node:crypto';
import { changesTakeEffectAtOnce, oneEditWins } from './stories/changes.ts';
import { unreadableIsKept } from './stories/dead-letter.ts';
import { everyMinute, noMinuteMissed } from './stories/every-minute.ts';
import { firstCalls, oneShot } from './stories/one-shot.ts';
import { nothingIsLeft } from './stories/removal.ts';
import { retries } from './stories/retries.ts';
import { dataIsKept } from './stories/update.ts';
import { deadWorkerIsReplaced, workerDies } from './stories/worker-dies.ts';
import { type Cdk, createCdk } from './support/cdk.ts';
import { interrupted } from './support/interruption.ts';
import type { Place } from './support/place.ts';
import { type Report, Skipped } from './support/report.ts';
import { createWorld, type World } from './support/world.ts';

/** Of the update; the default is 512. */
const WORKER_MEMORY_MB = 640;

/** From the first deployment to the last look at what is left. What fails is in the report. */
export async function tell(place: Place, report: Report, workDirectory: string): Promise<void> {
  const cdk = createCdk(place, workDirectory);
  const name = `PunctualE2E-${new Date().toISOString().slice(0, 10)}-${randomBytes(3).toString('hex')}`;
  const targets = `${name}-Targets`;
  const context = { ...settings(targets), ...place.context, 'punctual:stackName': name };
  const { bootstrap } = place;
  report.note(`Punctual, end to end: ${place.title}, stack ${name}`);
  const ready = await report.step('cdk bootstrap', async () => {
    if (bootstrap === undefined) throw new Skipped('an account keeps the bootstrap that it has');
    await cdk.bootstrap(bootstrap);
    return '';
  });
  if (!ready || interrupted.aborted) return;
  let world: World | undefined;
  try {
    await report.step('cdk deploy', async () => {
      const [outputs, targetOutputs] = await Promise.all([
        cdk.deploy({ name, context }),
        cdk.deploy({ name: targets, app: 'node test/e2e/targets/app.ts', context: { targets } }),
      ]);
      world = await createWorld(place, name, outputs, targetOutputs);
      return `the API is at ${world.api.url}`;
    });
    if (world !== undefined && !interrupted.aborted)
      await tellStories(world, report, () => update(cdk, name, context));
  } finally {
    const destroyed = await report.step('cdk destroy', async () => {
      await Promise.all([cdk.destroy(name), cdk.destroy(targets)]);
      return '';
    });
    const { resources } = world ?? {};
    if (destroyed && resources && !interrupted.aborted)
      await report.step('nothing is left behind', () => nothingIsLeft(resources));
    await world?.close();
  }
}

async function update(cdk: Cdk, name: string, context: Readonly<Record<string, string>>): Promise<void> {
  interrupted.throwIfAborted();
  await cdk.deploy({ name, context: { ...context, 'punctual:workerMemoryMb': String(WORKER_MEMORY_MB) } });
}

/** CloudFormation begins the names that it makes up with that of the stack. */
function settings(targets: string) {
  const arns = [`arn:aws:sqs:*:*:${targets}-*`, `arn:aws:lambda:*:*:function:${targets}-*`];
  return {
    'punctual:removalPolicy': 'destroy',
    'punctual:allowedTargets': arns.join(','),
    // What a dead worker held is free after so long.
    'punctual:leaseSeconds': '10',
  };
}

const KINDS = ['sqs', 'lambda', 'http'] as const;

/** Side by side in real time, but for the dead worker: what shares a batch with its call dies with it. */
async function tellStories(world: World, report: Report, update: () => Promise<void>): Promise<void> {
  const step = (name: string, story: () => Promise<string>) => report.step(name, story);
  await step('a worker is killed in mid-call', () => workerDies(world));
  // Without functions that run there is nothing to be on time.
  if (!(await step('functions start', () => firstCalls(world)))) return;
  await Promise.all([
    step('the sweep replaces the dead worker', () => deadWorkerIsReplaced(world)),
    ...KINDS.map((kind) => step(`each minute: ${kind}`, () => everyMinute(world, kind))),
    ...KINDS.map((kind) => step(`once: ${kind}`, () => oneShot(world, kind))),
    ...(['lambda', 'http'] as const).map((kind) =>
      step(`two failures, then success: ${kind}`, () => retries(world, kind)),
    ),
    step('edits and pause take effect at once', () => changesTakeEffectAtOnce(world)),
    step('of three edits with If-Match one wins', () => oneEditWins(world)),
    step('an unreadable message is kept', () => unreadableIsKept(world)),
  ]);
  await step('update: cdk deploy with another setting', () => dataIsKept(world, WORKER_MEMORY_MB, update));
  const updatedAt = Date.now();
  await Promise.all(
    KINDS.map((kind) =>
      step(`no minute missed through the update: ${kind}`, () => noMinuteMissed(world, kind, updatedAt)),
    ),
  );
}
