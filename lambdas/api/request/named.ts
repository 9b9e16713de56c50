import { invalidRequest } from './field-faults.ts';

/** Refuses a body that names another than its path. */
export function assertNamed(field: string, given: unknown, path: string | undefined): void {
  if (given === undefined || given === path) return;
  const message = `It is "${path}" in the path. Nothing can be renamed; leave it off.`;
  throw invalidRequest([{ path: [field], message }], { [field]: given });
}
