import * as z from 'zod';
import { answer, endpoint, type Mounted, mounted } from '../http/endpoint.ts';
import { openApiDocument } from './document.ts';

const documentEndpoint = endpoint({
  method: 'get',
  path: '/openapi.json',
  operationId: 'getDocument',
  tag: 'Service',
  summary: 'This document',
  request: {},
  responses: { 200: { description: 'OpenAPI 3.1.', schema: z.looseObject({ openapi: z.string() }) } },
  problems: [],
});

/** Describes `routes`, itself among them by the time that it is asked. */
export function documentRoute(routes: readonly Mounted[]): Mounted {
  let document: { readonly openapi: string } | undefined;
  return mounted(documentEndpoint, () => {
    // Once and not at each start: it takes longer than a request, and most functions are never asked for it.
    document ??= openApiDocument(routes.map(({ endpoint: of }) => of));
    return answer(200, document);
  });
}
