import { Validator } from '@seriousme/openapi-schema-validator';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ApiDeps } from '../../../../lambdas/api/deps.ts';
import { testClock } from '../../../support/clock.ts';
import { NOON } from '../../../support/fixtures.ts';
import { apiWith, type Body } from '../api.ts';

/** What reviewers see change with the schemas. `npm run docs` writes it. */
const KEPT = '../../../../docs/openapi.json';

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly Body[];
  readonly requestBody?: { readonly content: Record<string, { readonly schema: { $ref: string } }> };
  readonly responses: Readonly<Record<string, Body>>;
}

let document: Body;
let operations: readonly (readonly [string, Operation])[];
beforeAll(async () => {
  // It is made of the schemas alone: no store is asked.
  const api = apiWith({ clock: testClock(NOON) } as unknown as ApiDeps);
  document = (await api.get('/openapi.json')).body;
  operations = Object.entries<Record<string, Operation>>(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [`${method} ${path}`, operation] as const),
  );
});

describe('the OpenAPI document', () => {
  it('is the one that is kept beside the documentation', async () => {
    const text = `${JSON.stringify(document, null, 2)}\n`;
    await expect(text, 'docs/openapi.json is out of date: npm run docs writes it anew').toMatchFileSnapshot(
      KEPT,
    );
  });

  it('is valid OpenAPI 3.1', async () => {
    const validator = new Validator();
    const result = await validator.validate(document);
    expect([result.valid, validator.version, result.errors ?? []]).toEqual([true, '3.1', []]);
  });

  it('names each operation once, under a tag that it describes', () => {
    const ids = operations.map(([, { operationId }]) => operationId);
    expect(ids.length).toBeGreaterThan(40);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    const tags = document.tags.map(({ name }: { name: string }) => name);
    expect(new Set(operations.flatMap(([, operation]) => operation.tags))).toEqual(new Set(tags));
    for (const { description } of document.tags) expect(description).toMatch(/\w/);
  });

  it('has every reference and every link lead somewhere', () => {
    const text = JSON.stringify(document);
    const references = [...text.matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) => path as string);
    expect(references.length).toBeGreaterThan(100);
    for (const reference of references) {
      const found = reference.split('/').reduce<Body>((part, key) => part?.[key], document);
      expect(found, reference).toBeDefined();
    }
    const linked = operations.flatMap(([, { responses }]) =>
      Object.values(responses).flatMap((response) => Object.keys(response.links ?? {})),
    );
    expect(linked.length).toBeGreaterThan(10);
    const ids = new Set(operations.map(([, { operationId }]) => operationId));
    expect(linked.filter((id) => !ids.has(id))).toEqual([]);
  });

  it('documents for every operation what the gateway, a fault and a busy store answer', () => {
    for (const [name, { responses }] of operations) {
      expect(Object.keys(responses), name).toEqual(
        expect.arrayContaining(['401', '403', '431', '500', '503']),
      );
    }
  });

  it('documents that what can be invalid is refused', () => {
    for (const [name, { parameters, requestBody, responses }] of operations) {
      if (requestBody) expect(Object.keys(responses), name).toEqual(expect.arrayContaining(['413', '415']));
      const checked = requestBody !== undefined || (parameters ?? []).some(({ schema }) => isNarrow(schema));
      expect('400' in responses, name).toBe(checked);
    }
  });

  it('has an example of every body that has options', () => {
    for (const [name, { requestBody }] of operations) {
      if (!requestBody) continue;
      const [media] = Object.values(requestBody.content);
      const id = media?.schema.$ref.split('/').at(-1) as string;
      if (id === 'NoOptionsRequest') continue;
      expect(document.components.schemas[id].examples, `${name}, ${id}`).toHaveLength(1);
    }
  });
});

/** Whether there is a text that it does not take. */
function isNarrow({ type, ...schema }: Body): boolean {
  return type !== 'string' || Object.keys(schema).some((key) => key !== 'examples');
}
