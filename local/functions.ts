import type { FunctionName } from '../lambdas/contract/topology.ts';
import { createFunction, type Handler, type LocalFunction } from './lambda/function.ts';
import { deployedName, timeoutMsOf } from './settings.ts';

/** The functions that the main thread runs; workers have threads of their own. */
export const MAIN_FUNCTIONS = ['tick', 'relay', 'sweep', 'api'] as const satisfies readonly FunctionName[];
export type MainFunctions = Readonly<Record<(typeof MAIN_FUNCTIONS)[number], LocalFunction>>;

/** A deployed handler itself. It reads the environment as it is imported, so not before that is set. */
export async function loadFunction(name: FunctionName): Promise<LocalFunction> {
  const { handler } = (await import(`../lambdas/${name}/handler.ts`)) as { handler: Handler };
  return createFunction({ name: deployedName(name), timeoutMs: timeoutMsOf(name), handler });
}

export async function loadMainFunctions(): Promise<MainFunctions> {
  const loaded = await Promise.all(
    MAIN_FUNCTIONS.map(async (name) => [name, await loadFunction(name)] as const),
  );
  return Object.fromEntries(loaded) as unknown as MainFunctions;
}
