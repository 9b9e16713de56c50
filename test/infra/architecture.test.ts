import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buildSync, transformSync } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { PARTITION, SORT } from '../../lambdas/contract/tables.ts';
import { ROOT } from './support/synth.ts';

const FUNCTIONS = ['api', 'relay', 'sweep', 'tick', 'worker'];

function sources(folder: string): string[] {
  return globSync(`${folder}/**/*.ts`, { cwd: ROOT }).toSorted();
}

/** What a file imports, types included: own files by their path from the root, packages by their name. */
function importsOf(file: string): string[] {
  const code = readFileSync(join(ROOT, file), 'utf8');
  const found = code.matchAll(
    /^(?:import|export)\s[^'"`;]*?\bfrom\s*['"]([^'"]+)['"]|^import\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm,
  );
  return [...found].map(([, from, bare, dynamic]) => {
    const specifier = from ?? bare ?? dynamic ?? '';
    return specifier.startsWith('.') ? join(dirname(file), specifier) : specifier;
  });
}

/** Each line: a file and an import of it that `allowed` does not cover. */
function strays(files: readonly string[], allowed: (imported: string, file: string) => boolean): string[] {
  return files.flatMap((file) =>
    importsOf(file)
      .filter((imported) => !allowed(imported, file))
      .map((imported) => `${file} imports ${imported}`),
  );
}

const startsWithAny = (prefixes: readonly string[]) => (imported: string) =>
  prefixes.some((prefix) => imported === prefix || imported.startsWith(`${prefix}/`));

test('the arrows are looked for in all the files there are', () => {
  expect(sources('lambdas').length).toBeGreaterThan(50);
  expect(sources('lib').length).toBeGreaterThan(10);
  const all = sources('lambdas').flatMap(importsOf);
  expect(all).toContain('@aws-sdk/client-dynamodb');
  expect(all).toContain('lambdas/core/time.ts');
});

test('a folder with a handler is a function, and the functions are these', () => {
  const handlers = globSync('**/handler.ts', { cwd: join(ROOT, 'lambdas') }).toSorted();
  expect(handlers).toEqual(FUNCTIONS.map((name) => `${name}/handler.ts`));
});

describe('imports go one way', () => {
  test('the core knows itself, the calendar libraries and hashes', () => {
    const allowed = startsWithAny(['lambdas/core', 'luxon', 'node:crypto']);
    // The type of a target is the output of its schema.
    const isSchema = (imported: string, file: string) =>
      imported === 'zod' && file.startsWith('lambdas/core/targets/');
    expect(
      strays(sources('lambdas/core'), (imported, file) => allowed(imported) || isSchema(imported, file)),
    ).toEqual([]);
  });

  test('each room of the core knows those before it, types included', () => {
    const order = [
      ...['recurrence', 'targets', 'schedule', 'occurrence', 'planning', 'slots', 'ports'],
      ...['zones', 'backfill', 'pause', 'attempt'],
    ];
    const rooms = globSync('*/', { cwd: join(ROOT, 'lambdas/core') });
    expect(rooms.toSorted()).toEqual(order.toSorted());
    // What is in no room is below all of them.
    const level = (file: string) => order.indexOf(file.split('/')[2] ?? '');
    const inCore = startsWithAny(['lambdas/core']);
    expect(
      strays(
        sources('lambdas/core'),
        (imported, file) => !inCore(imported) || level(imported) <= level(file),
      ),
    ).toEqual([]);
  });

  test('the contract knows zod and the vocabulary of the core', () => {
    const allowed = startsWithAny(['lambdas/contract', 'lambdas/core', 'zod']);
    expect(strays(sources('lambdas/contract'), allowed)).toEqual([]);
  });

  test('the AWS SDK stays inside the adapters', () => {
    const outside = sources('lambdas').filter((file) => !file.startsWith('lambdas/adapters/'));
    expect(strays(outside, (imported) => !/^@(aws-sdk|smithy)\//.test(imported))).toEqual([]);
  });

  test('clients of AWS are made in one place, which gives each its patience', () => {
    const made = sources('lambdas').filter((file) =>
      /\bnew\s+\w*Client\b|NodeHttpHandler/.test(readFileSync(join(ROOT, file), 'utf8')),
    );
    expect(made).toEqual([]);
  });

  test('what is deployed knows nothing of how it is deployed, run locally or tested', () => {
    const forbidden = startsWithAny([
      'lib',
      'bin',
      'local',
      'bench',
      'test',
      'aws-cdk-lib',
      'constructs',
      'cdk-nag',
    ]);
    expect(strays(sources('lambdas'), (imported) => !forbidden(imported))).toEqual([]);
  });

  test('no function reaches into another', () => {
    const ownFolder = (file: string) => file.split('/').slice(0, 2).join('/');
    const others = (imported: string, file: string) =>
      FUNCTIONS.some((name) => imported.startsWith(`lambdas/${name}/`)) &&
      ownFolder(imported) !== ownFolder(file);
    expect(strays(sources('lambdas'), (imported, file) => !others(imported, file))).toEqual([]);
  });

  test('constructs know the CDK and the contract', () => {
    const allowed = startsWithAny(['lib', 'lambdas/contract', 'aws-cdk-lib', 'constructs', 'zod']);
    const node = (imported: string) => imported.startsWith('node:');
    expect(strays(sources('lib'), (imported) => allowed(imported) || node(imported))).toEqual([]);
    expect(strays(['bin/app.ts'], startsWithAny(['lib', 'aws-cdk-lib', 'cdk-nag']))).toEqual([]);
  });

  test.each(FUNCTIONS)('the bundle of %s holds no line of the CDK', (name) => {
    const { metafile } = buildSync({
      absWorkingDir: ROOT,
      entryPoints: [`lambdas/${name}/handler.ts`],
      bundle: true,
      platform: 'node',
      format: 'esm',
      mainFields: ['module', 'main'],
      outfile: 'bundle.mjs',
      write: false,
      metafile: true,
      logLevel: 'silent',
    });
    const inputs = Object.keys(metafile.inputs);
    expect(inputs).toContain(`lambdas/${name}/handler.ts`);
    expect(inputs.filter((file) => /node_modules\/(aws-cdk-lib|constructs|cdk-nag)\//.test(file))).toEqual(
      [],
    );
  });
});

test('what keys begin with is written in the contract, and nowhere in lib and in the adapters', () => {
  const own = new Set<string>([...Object.values(PARTITION), ...Object.values(SORT)]);
  const files = [...sources('lib'), ...sources('lambdas/adapters/dynamodb'), ...sources('local/output')];
  const written = files.flatMap((file) => {
    const { code } = transformSync(readFileSync(join(ROOT, file), 'utf8'), { loader: 'ts' });
    return [...code.matchAll(/["'`]([A-Z][A-Z-]*#?)(?:["'`]|\$\{|\*)/g)]
      .filter(([, text = '']) => own.has(text))
      .map(([literal]) => `${file} has ${literal}`);
  });
  expect(written).toEqual([]);
});

describe('time and chance are arguments', () => {
  /** Reading a clock, a random number or the environment, or waiting by oneself. */
  const IMPURE =
    /\bprocess\.env\b|\bDate\.now\b|\bnew Date\(\)|\bDate\(\)|\bMath\.random\b|\bset(Timeout|Interval|Immediate)\b|\bperformance\.now\b|\brandom(UUID|Bytes|Int)\b|\bDateTime\.(now|local|utc)\(\)|\bTemporal\.Now\b/g;

  function impure(files: readonly string[]): string[] {
    return files.flatMap((file) => {
      // esbuild drops types and comments, which may well speak of clocks.
      const { code } = transformSync(readFileSync(join(ROOT, file), 'utf8'), { loader: 'ts' });
      return [...code.matchAll(IMPURE)].map(([found]) => `${file} has ${found}`);
    });
  }

  test('for the core and the contract', () => {
    expect(impure([...sources('lambdas/core'), ...sources('lambdas/contract')])).toEqual([]);
  });

  test('for the use cases; only a composition root reads the environment', () => {
    const files = sources('lambdas').filter((file) => !file.startsWith('lambdas/adapters/'));
    const roots = FUNCTIONS.map((name) => `lambdas/${name}/handler.ts`);
    expect(impure(files.filter((file) => !roots.includes(file)))).toEqual([]);
    expect(impure(roots)).toEqual(roots.map((file) => `${file} has process.env`));
  });
});
