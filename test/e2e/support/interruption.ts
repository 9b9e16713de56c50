const interruption = new AbortController();

/** Aborts when somebody asks this process to stop. What was deployed is still removed; asked twice, it ends at once. */
export const interrupted = interruption.signal;

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => interruption.abort(new Error(`Stopped by ${signal}`)));
}
