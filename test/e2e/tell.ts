import { randomBytes } from 'node:crypto';
import { oneShot } from './stories/one-shot.ts';
import { createCdk } from './support/cdk.ts';
import type { Place } from './support/place.ts';
import { type Report, Skipped } from './support/report.ts';
import { createWorld, type World } from './support/world.ts';

/** From the first deployment to the last look at what is left. What fails is in the report. */
export async function tell(place: Place, report: Report, workDirectory: string): Promise<void> {
  const cdk = createCdk(place, workDirectory);
  const name = `PunctualE2E-${new Date().toISOString().slice(0, 10)}-${randomBytes(3).toString('hex')}`;
  const targets = `${name}-Targets`;
  const { bootstrap } = place;
  report.note(`Punctual, end to end: ${place.title}, stack ${name}`);
  const ready = await report.step('cdk bootstrap', async () => {
    if (bootstrap === undefined) throw new Skipped('an account keeps the bootstrap that it has');
    await cdk.bootstrap(bootstrap);
    return '';
  });
  if (!ready) return;
  try {
    let world: World | undefined;
    await report.step('cdk deploy', async () => {
      const outputs = await Promise.all([
        cdk.deploy({ name, context: { ...CONTEXT, ...allowed(targets), 'punctual:stackName': name } }),
        cdk.deploy({ name: targets, app: 'node test/e2e/targets/app.ts', context: { targets } }),
      ]);
      world = createWorld(place, name, ...outputs);
      return '';
    });
    if (world !== undefined) await tellStories(world, report);
  } finally {
    await report.step('cdk destroy', async () => {
      await Promise.all([cdk.destroy(name), cdk.destroy(targets)]);
      return '';
    });
  }
}

const CONTEXT = { 'punctual:removalPolicy': 'destroy' };

/** CloudFormation begins the names that it makes up with that of the stack. */
function allowed(targets: string) {
  const arns = [`arn:aws:sqs:*:*:${targets}-*`, `arn:aws:lambda:*:*:function:${targets}-*`];
  return { 'punctual:allowedTargets': arns.join(',') };
}

async function tellStories(world: World, report: Report): Promise<void> {
  try {
    await Promise.all([
      report.step('a one-shot sends a message', () => oneShot(world, 'sqs')),
      report.step('a one-shot invokes a function', () => oneShot(world, 'lambda')),
    ]);
  } finally {
    await world.close();
  }
}
