export { type FunctionName, Punctual } from './punctual.ts';
export type { PunctualProps } from './punctual-props.ts';
