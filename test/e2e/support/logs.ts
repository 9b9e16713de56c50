import { existsSync, readFileSync } from 'node:fs';

const LINES = 30;
const LENGTH = 600;

/** What the emulator, and the functions that it runs, logged as not well, the last of it. */
export function troubles(log: string): readonly string[] {
  if (!existsSync(log)) return [];
  return readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => /^\S+ \S+ (WARNING|ERROR) |"level":"(WARN|ERROR)"/.test(line))
    .slice(-LINES)
    .map((line) => line.slice(0, LENGTH));
}
