export type { FunctionName } from '../lambdas/contract/topology.ts';
export { Punctual } from './punctual.ts';
export type { PunctualProps } from './punctual-props.ts';
