const wanted = process.env.PUNCTUAL_FAULT_RUNS;

/** Model runs asked for with `PUNCTUAL_FAULT_RUNS`, when somebody has the time for it. */
export const LONG_RUNS = wanted === undefined ? undefined : Number(wanted);

/** Whether also those faults are tried that come to the same as another. */
export const EXHAUSTIVE = LONG_RUNS !== undefined;

if (LONG_RUNS !== undefined && !(Number.isSafeInteger(LONG_RUNS) && LONG_RUNS > 0)) {
  throw new Error(`PUNCTUAL_FAULT_RUNS is the number of model runs, such as 2000; not "${wanted}".`);
}
