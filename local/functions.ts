import { createFunction, type Handler, type LocalFunction } from './lambda/function.ts';
import { deployedName, FUNCTION_NAMES, type FunctionName, LOCAL } from './settings.ts';

export type Functions = Readonly<Record<FunctionName, LocalFunction>>;

/** The deployed handlers themselves. They read the environment as they are imported, so not before it is set. */
export async function loadFunctions(): Promise<Functions> {
  const loaded = await Promise.all(
    FUNCTION_NAMES.map(async (name) => {
      const module = (await import(`../lambdas/${name}/handler.ts`)) as { handler: Handler };
      const timeoutMs = LOCAL.timeouts[name];
      return [
        name,
        createFunction({ name: deployedName(name), timeoutMs, handler: module.handler }),
      ] as const;
    }),
  );
  return Object.fromEntries(loaded) as unknown as Functions;
}
