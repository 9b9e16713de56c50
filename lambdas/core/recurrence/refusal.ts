import { type ErrorCode, PunctualError } from '../errors.ts';

/** Longest value repeated in a message: enough to recognise it, too little to flood a log. */
const SHOWN = 80;

/** Where a text came from, so that a refusal can name it: `expression`, `expression[1]`, `exclude[0]`. */
export interface Origin {
  readonly field: string;
  readonly text: string;
}

/** The error for a time text that is not accepted; `message` says what is allowed. */
export function refusal(origin: Origin, code: ErrorCode, message: string): PunctualError {
  return new PunctualError(code, message, { field: origin.field, value: shown(origin.text) });
}

export function quote(text: string): string {
  return JSON.stringify(shown(text));
}

function shown(text: string): string {
  return text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}…`;
}
