import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { occurrenceOf } from '../../lambdas/adapters/dynamodb/occurrences/occurrence-items.ts';
import { apiPage, type OpenApi } from './api-page.ts';
import { configurationPage } from './configuration-page.ts';
import { dataModelPage, KINDS } from './data-model-page.ts';

const DOCS = new URL('../../docs/', import.meta.url);
const OUT_OF_DATE = 'is out of date: npm run docs writes it anew';

it('docs/api.md says what docs/openapi.json says', async () => {
  const document = JSON.parse(readFileSync(new URL('openapi.json', DOCS), 'utf8')) as OpenApi;
  await expect(apiPage(document), `docs/api.md ${OUT_OF_DATE}`).toMatchFileSnapshot('../../docs/api.md');
});

it('docs/configuration.md has every setting, with its default', async () => {
  await expect(configurationPage(), `docs/configuration.md ${OUT_OF_DATE}`).toMatchFileSnapshot(
    '../../docs/configuration.md',
  );
});

it('docs/data-model.md has the tables, indexes and items that there are', async () => {
  await expect(dataModelPage(), `docs/data-model.md ${OUT_OF_DATE}`).toMatchFileSnapshot(
    '../../docs/data-model.md',
  );
});

it.each(KINDS)('$title: every attribute of its examples is described', ({ attributes, examples }) => {
  const shown = examples.flatMap(Object.keys).filter((name) => name !== 'pk' && name !== 'sk');
  const known = Object.keys(attributes);
  // A range is an occurrence, and has its attributes too.
  const all = examples.some((item) => item.coalesced !== undefined)
    ? [...known, ...Object.keys(KINDS.find(({ title }) => title === 'Occurrence')?.attributes ?? {})]
    : known;
  expect(shown.filter((name) => !all.includes(name))).toEqual([]);
});

it('every attribute that the adapters read from an item is described', () => {
  const described = new Set(KINDS.flatMap(({ attributes }) => Object.keys(attributes)));
  const files = globSync('lambdas/adapters/dynamodb/**/*.ts', { cwd: new URL('../../', import.meta.url) });
  const read = files.flatMap((file) => {
    const code = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
    return [...code.matchAll(/(?<![-/])\b[iI]tem\??\.([a-z_]+)\b(?!\()/g)].map(([, name = '']) => name);
  });
  expect(read.length).toBeGreaterThan(80);
  const missing = new Set(read.filter((name) => !['pk', 'sk'].includes(name) && !described.has(name)));
  expect([...missing]).toEqual([]);
});

it('the examples of occurrences are what the codec reads', () => {
  const examples = KINDS.filter(({ key }) => key.includes('`O#')).flatMap((kind) => kind.examples);
  expect(examples.map((item) => occurrenceOf({ ...item }).status)).toEqual([
    'pending',
    'running',
    'failed',
    'coalesced',
  ]);
});
