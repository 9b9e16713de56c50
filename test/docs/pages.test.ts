import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { apiPage, type OpenApi } from './api-page.ts';
import { configurationPage } from './configuration-page.ts';

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
