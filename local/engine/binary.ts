import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { LocalRunError } from '../errors.ts';

/** Where the Dynoxide binary is: in its package for this platform, or anywhere on the PATH. */
export function engineBinary(
  platform: string = process.platform,
  arch: string = process.arch,
  path: string = process.env.PATH ?? '',
): string {
  const name = platform === 'win32' ? 'dynoxide.exe' : 'dynoxide';
  const packageName = `@dynoxide/${platform}-${arch}`;
  const found = [
    packagedBinary(packageName, name),
    ...path.split(delimiter).map((dir) => join(dir, name)),
  ].find((candidate) => candidate !== undefined && existsSync(candidate));
  if (found !== undefined) return found;
  throw new LocalRunError(
    `The embedded engine Dynoxide is not installed for ${platform}-${arch}: ` +
      `run "npm install --no-save ${packageName}", put a ${name} on your PATH, ` +
      'or name a DynamoDB endpoint with --dynamodb (DynamoDB Local: http://127.0.0.1:8000).',
  );
}

function packagedBinary(packageName: string, name: string): string | undefined {
  try {
    return join(dirname(createRequire(import.meta.url).resolve(`${packageName}/package.json`)), name);
  } catch {
    return undefined;
  }
}
