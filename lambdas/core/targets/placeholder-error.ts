import { PLACEHOLDERS, unknownPlaceholders } from './placeholders.ts';

/** What is wrong with the first placeholder that stands for nothing; undefined when there is none. */
export function placeholderError(value: unknown): string | undefined {
  const [unknown] = unknownPlaceholders(value);
  if (unknown === undefined) return undefined;
  return (
    `${unknown.slice(0, 100)} stands for nothing. There are: ` +
    `${PLACEHOLDERS.map((name) => `{{punctual.${name}}}`).join(', ')}. ` +
    'For braces that are to stay, write \\{{punctual…}} (in JSON: "\\\\{{punctual…}}").'
  );
}
