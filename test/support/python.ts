import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const CACHE = fileURLToPath(new URL('../../.cache/python', import.meta.url));

const COMPLETE = 'complete';

/** Exit code of a script that could not test anything, for the one reason that it has said (automake's). */
export const SKIPPED = 77;

/** What the tools that are used here ask for. */
const OLDEST = [3, 10] as const;

/** The tools of a requirements file, in a virtual environment of their own. */
export interface PythonTools {
  /** Where a command of theirs is. */
  command(name: string): string;
}

/** There is no Python to make one with; says what is needed. */
export class NoPython extends Error {
  override readonly name = 'NoPython';
}

/**
 * The environment of a requirements file whose versions are pinned, made when there is none of just this content yet
 * and kept in `.cache`. Without a Python that could make it: NoPython; a package that cannot be had is a fault.
 */
export async function pythonTools(requirements: string): Promise<PythonTools> {
  const content = readFileSync(requirements);
  const python = await usablePython();
  const hash = createHash('sha256').update(content).update(python.version).digest('hex').slice(0, 12);
  const home = join(CACHE, `${basename(requirements, '.txt')}-${hash}`);
  if (!existsSync(join(home, COMPLETE))) await make(home, python.command, requirements);
  return { command: (name) => join(home, 'bin', name) };
}

/** The mark of a whole one comes last, so that one whose making was broken off is made anew. */
async function make(home: string, python: string, requirements: string): Promise<void> {
  rmSync(home, { recursive: true, force: true });
  mkdirSync(home, { recursive: true });
  await run(python, ['-m', 'venv', home]);
  await run(join(home, 'bin', 'python'), ['-m', 'pip', 'install', '--quiet', '--requirement', requirements]);
  writeFileSync(join(home, COMPLETE), '');
}

async function usablePython(): Promise<{ readonly command: string; readonly version: string }> {
  for (const command of ['python3', 'python']) {
    const version = await versionOf(command);
    if (version !== undefined && isAtLeast(version)) return { command, version };
  }
  throw new NoPython(`This needs Python ${OLDEST.join('.')} or later with its venv module, as python3.`);
}

/** Undefined where there is no such command, or it has no venv with pip (Debian ships them apart). */
async function versionOf(command: string): Promise<string | undefined> {
  const script = 'import ensurepip, sys, venv; print(".".join(map(str, sys.version_info[:3])))';
  try {
    return (await run(command, ['-c', script])).stdout.trim();
  } catch {
    return undefined;
  }
}

function isAtLeast(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}
