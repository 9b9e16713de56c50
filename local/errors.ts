/** What the person at the terminal can act on. Printed as one sentence, without a stack. */
export class LocalRunError extends Error {
  override readonly name = 'LocalRunError';
}
