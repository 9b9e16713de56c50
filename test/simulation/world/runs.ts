const wanted = process.env.PUNCTUAL_FAULT_RUNS;
const rounds = wanted === undefined ? undefined : Number(wanted);

if (rounds !== undefined && !(Number.isSafeInteger(rounds) && rounds > 0)) {
  throw new Error(
    `PUNCTUAL_FAULT_RUNS is how many times as much is tried at random, such as 20; not "${wanted}".`,
  );
}

/** Whether somebody has the time for more than what each change is held against. */
export const LONG = rounds !== undefined;

/** Random sequences of one round. */
const ROUND = 60;

/** How many random sequences are tried. */
export const SEQUENCES = ROUND * (rounds ?? 1);
