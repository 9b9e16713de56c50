/** Why nothing could be tested: one sentence for the person at the terminal, printed without a stack. */
export class CannotStart extends Error {
  override readonly name = 'CannotStart';
  readonly exitCode: number;

  constructor(sentence: string, exitCode = 1) {
    super(sentence);
    this.exitCode = exitCode;
  }
}
