import * as z from 'zod';
import type { Json } from '../../core/json.ts';
import { placeholderError } from '../../core/targets/placeholder-error.ts';
import { fillPlaceholders, LONGEST_VALUES } from '../../core/targets/placeholders.ts';
import { API_LIMITS } from './limits.ts';

/** DynamoDB keeps no number smaller than this but 0; the SDK takes none beyond the safe integers. */
const SMALLEST = 1e-130;

/** Any JSON value within the size limit that the table gives back as it was given. */
export const inputSchema = z.unknown().check((context) => {
  const input = context.value ?? null;
  const refuse = (message: string) => context.issues.push({ code: 'custom', message, input });
  const bytes = bytesOf(input);
  if (bytes > API_LIMITS.inputBytes) {
    refuse(`At most ${API_LIMITS.inputBytes} bytes as JSON; this has ${bytes}. Pass a reference to more.`);
    return;
  }
  const path = unstorable(input);
  if (path !== undefined) {
    const message =
      'A number between -(2^53 - 1) and 2^53 - 1, no closer to 0 than 1e-130, and no empty member name.';
    context.issues.push({ code: 'custom', message, input, path });
    return;
  }
  const unknown = placeholderError(input);
  if (unknown !== undefined) {
    refuse(unknown);
    return;
  }
  // Every target has room for what is allowed here, filled in or not.
  const filled = bytesOf(fillPlaceholders(input as Json, LONGEST_VALUES));
  if (filled <= API_LIMITS.inputBytes) return;
  refuse(
    `At most ${API_LIMITS.inputBytes} bytes as JSON once its placeholders are filled in; this may have ${filled}. ` +
      'Every target is given these values beside the input, too.',
  );
});

const bytesOf = (input: unknown) => Buffer.byteLength(JSON.stringify(input));

/** Path to the first part that the table could not give back; undefined when there is none. */
function unstorable(value: unknown): PropertyKey[] | undefined {
  if (typeof value === 'number') {
    const size = Math.abs(value);
    return size > Number.MAX_SAFE_INTEGER || (size > 0 && size < SMALLEST) ? [] : undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, part] of Object.entries(value)) {
    const within = key === '' ? [] : unstorable(part);
    if (within) return [key, ...within];
  }
  return undefined;
}
