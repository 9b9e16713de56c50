import { invalidRequest } from './field-faults.ts';
import { API_LIMITS } from './limits.ts';

/** Refuses a body that nests too deep, or holds text that no table and no target could be given. */
export function assertShape(body: unknown): void {
  assertDepth(body);
  // By recursion only now that the depth is known to be bearable.
  assertNoPrototype(body);
  const path = malformedText(body);
  if (path === undefined) return;
  const message = 'Text that is not Unicode: it has half of a surrogate pair.';
  throw invalidRequest([{ path: path.length === 0 ? ['body'] : path, message }], undefined);
}

/** Level by level and not by recursion, which a hostile body would exhaust. */
function assertDepth(body: unknown): void {
  let level = [body].filter(isComposed);
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > API_LIMITS.bodyDepth) {
      const message = `It nests more than ${API_LIMITS.bodyDepth} levels.`;
      throw invalidRequest([{ path: ['body'], message }], undefined);
    }
    level = level.flatMap((part) => Object.values(part)).filter(isComposed);
  }
}

/** Given through as they are, to whoever knows what they mean. */
const OPAQUE = new Set(['input', 'output']);

/** A record would drop it without a word: it is the one name that is not a member like another in JavaScript. */
function assertNoPrototype(value: unknown, path: readonly string[] = []): void {
  if (!isComposed(value)) return;
  for (const [key, part] of Object.entries(value)) {
    if (path.length === 0 && OPAQUE.has(key)) continue;
    if (key === '__proto__') {
      throw invalidRequest([{ path: [...path, key], message: 'No member can have this name.' }], undefined);
    }
    assertNoPrototype(part, [...path, key]);
  }
}

function malformedText(value: unknown): string[] | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : [];
  if (!isComposed(value)) return undefined;
  for (const [key, part] of Object.entries(value)) {
    if (!key.isWellFormed()) return [];
    const within = malformedText(part);
    if (within) return [key, ...within];
  }
  return undefined;
}

function isComposed(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
