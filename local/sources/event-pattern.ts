/**
 * Event patterns as Lambda's event filtering and EventBridge rules read them: objects nest, an array lists
 * what a value may be, and `exists`, `prefix`, `anything-but` and `numeric` are the usual operators.
 */
export function matchesPattern(pattern: object, event: unknown): boolean {
  return Object.entries(pattern).every(([name, expected]) => {
    const value = isRecord(event) ? event[name] : undefined;
    if (Array.isArray(expected)) return expected.some((candidate) => matchesValue(candidate, value));
    return isRecord(value) && matchesPattern(expected as object, value);
  });
}

function matchesValue(candidate: unknown, value: unknown): boolean {
  // An array in the event matches when one of its elements does.
  if (Array.isArray(value)) return value.some((element) => matchesValue(candidate, element));
  if (!isRecord(candidate)) return candidate === value;
  return Object.entries(candidate).every(([operator, operand]) => matchesOperator(operator, operand, value));
}

function matchesOperator(operator: string, operand: unknown, value: unknown): boolean {
  switch (operator) {
    case 'exists':
      return (value !== undefined) === operand;
    case 'prefix':
      return typeof value === 'string' && value.startsWith(String(operand));
    case 'suffix':
      return typeof value === 'string' && value.endsWith(String(operand));
    case 'anything-but':
      return value !== undefined && !(Array.isArray(operand) ? operand : [operand]).includes(value);
    case 'numeric':
      return typeof value === 'number' && Array.isArray(operand) && matchesNumeric(operand, value);
    default:
      throw new Error(`The pattern operator "${operator}" is not played by the embedded run.`);
  }
}

/** `[">=", 1, "<", 10]` */
function matchesNumeric(operand: readonly unknown[], value: number): boolean {
  for (let index = 0; index + 1 < operand.length; index += 2) {
    const bound = Number(operand[index + 1]);
    const holds = {
      '=': value === bound,
      '<': value < bound,
      '<=': value <= bound,
      '>': value > bound,
      '>=': value >= bound,
    };
    if (!holds[operand[index] as keyof typeof holds]) return false;
  }
  return true;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
