import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { NoPython, pythonTools, SKIPPED } from '../support/python.ts';
import { serveApi } from './api.ts';

/**
 * `npm run test:api`: schemathesis against the API that is deployed, by the document that it serves. The same seed
 * each time, so that what fails here fails there. `npm run test:api -- --long` takes another seed and more of it;
 * further arguments are handed on to schemathesis.
 */
const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));
const [isLong, rest] =
  process.argv[2] === '--long' ? [true, process.argv.slice(3)] : [false, process.argv.slice(2)];

const args = [
  '--config-file',
  here('schemathesis.toml'),
  'run',
  ...(isLong ? ['--seed', String(Date.now() % 1_000_000), '--max-examples', '300'] : ['--seed', '20261129']),
  ...rest,
];

async function main(): Promise<number> {
  const tools = await pythonTools(here('requirements.txt'));
  const api = await serveApi();
  try {
    const env = { ...process.env, SCHEMATHESIS_HOOKS: here('hooks.py'), PYTHONDONTWRITEBYTECODE: '1' };
    const child = spawn(tools.command('schemathesis'), [...args, `${api.url}/openapi.json`], {
      stdio: 'inherit',
      env,
    });
    const [code] = (await once(child, 'exit')) as [number | null];
    for (const fault of api.faults) process.stderr.write(`${fault}\n`);
    return code === 0 && api.faults.length > 0 ? 1 : (code ?? 1);
  } finally {
    await api.close();
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof NoPython)) throw error;
  process.stdout.write(`Skipped: ${error.message}\n`);
  process.exitCode = SKIPPED;
}
