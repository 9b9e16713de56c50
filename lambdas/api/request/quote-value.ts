/** Characters of a refused value that an answer repeats. */
const MAX_SHOWN = 100;

/** A value short enough to repeat; anything composed is shown as the start of its JSON. */
export function quoteValue(value: unknown): unknown {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return value;
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`;
}
