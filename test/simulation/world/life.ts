/** Whether a simulated process still runs. A dead one does nothing any more: what it waits for never comes. */
export interface Life {
  readonly alive: boolean;
  readonly died: Promise<void>;
  kill(): void;
}

export function startLife(): Life {
  let alive = true;
  let announce = () => {};
  const died = new Promise<void>((resolve) => {
    announce = resolve;
  });
  return {
    get alive() {
      return alive;
    },
    died,
    kill() {
      alive = false;
      announce();
    },
  };
}

/**
 * What code of a dead process goes on to wait for. Throwing instead would run its `catch` and `finally` blocks,
 * which a killed process does not do.
 */
export const never = <Answer>(): Promise<Answer> => new Promise(() => {});

/** Thrown to the scenario, not to the code under test, when its process was killed. */
export class Crashed extends Error {
  override readonly name = 'Crashed';
}
