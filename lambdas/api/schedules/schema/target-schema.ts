import * as z from 'zod';
import { kindOf, OFFERED_KINDS, type OfferedTarget } from '../../../core/targets/index.ts';
import { hasPlaceholder, visitTexts } from '../../../core/targets/placeholders.ts';

type OfferedSchema = (typeof OFFERED_KINDS)[keyof typeof OFFERED_KINDS]['schema'];
const [first, ...others] = Object.values(OFFERED_KINDS).map(({ schema }): OfferedSchema => schema);
if (first === undefined) throw new Error('There is no kind of target.');

const names = Object.keys(OFFERED_KINDS);
const kinds = `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;

const FILLED = Object.values(OFFERED_KINDS)
  .flatMap(({ placeholdersIn }) => placeholdersIn)
  .map((field) => `"${field}"`)
  .join(' and ');

/** In a field whose placeholders are not filled in, they would go out as they are. */
function unfilledPlaceholder(target: OfferedTarget): string | undefined {
  const { placeholdersIn } = kindOf(target);
  const texts: string[] = [];
  for (const [field, value] of Object.entries(target)) {
    visitTexts(placeholdersIn.includes(field) ? objectsIn(value) : value, (text) => texts.push(text));
  }
  return texts.find(hasPlaceholder);
}

/** Of headers those that are texts are filled in; a secret and its prefix are not. */
function objectsIn(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.values(value).filter((part) => typeof part !== 'string');
}

export const targetSchema = z
  .discriminatedUnion('kind', [first, ...others], { error: `An object whose "kind" is ${kinds}.` })
  .check(({ value, issues }) => {
    const text = unfilledPlaceholder(value);
    if (text === undefined) return;
    const message = `Of a target only ${FILLED} may have placeholders; "${text.slice(0, 100)}" is elsewhere.`;
    issues.push({ code: 'custom', message, input: value });
  })
  .meta({ id: 'Target', description: 'What the schedule calls.' });
