import { createHash } from 'node:crypto';

/** 48 bits of SHA-256: uniform, the same on every machine and version, and exact as a number. */
export function hash48(text: string): number {
  return createHash('sha256').update(text).digest().readUIntBE(0, 6);
}

/** A fraction in [0, 1) that is a function of the text alone: chance as an argument. */
export function hashFraction(text: string): number {
  return hash48(text) / 2 ** 48;
}
