import fc from 'fast-check';
import type { World } from '../world/world.ts';
import { machines } from './machines.ts';
import type { Model } from './model.ts';
import { operators } from './operators.ts';
import { requests } from './requests.ts';

/** Sequences of what clients, people, functions, machines and time do. */
export const commands = (maxCommands: number) =>
  fc.commands<Model, World, false>([...requests, ...operators, ...machines], { maxCommands, size: 'max' });
