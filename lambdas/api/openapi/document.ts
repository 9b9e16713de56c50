import * as z from 'zod';
import type { DocumentedProblem } from '../http/documented-problems.ts';
import type { Endpoint, RequestSchemas, ResponseSpec } from '../http/endpoint.ts';
import { INFO, SECURITY_SCHEMES, TAGS } from './about.ts';
import { Components, type JsonObject } from './components.ts';

/** What any request may meet. */
const ALWAYS = [500, 503] as const;

const FROM_GATEWAY = { 401: 'Unauthorized', 403: 'Forbidden', 431: 'RequestHeaderFieldsTooLarge' } as const;

/** The OpenAPI 3.1 document of the endpoints. Its schemas are JSON Schema 2020-12, which zod writes. */
export function openApiDocument(endpoints: readonly Endpoint[]): { readonly openapi: string } & JsonObject {
  const components = new Components();
  const paths: Record<string, JsonObject> = {};
  for (const endpoint of endpoints) {
    paths[endpoint.path] = { ...paths[endpoint.path], [endpoint.method]: operation(endpoint, components) };
  }
  return {
    openapi: '3.1.0',
    info: INFO,
    servers: [{ url: '/', description: 'Where this document was served from.' }],
    security: [{ sigv4: [] }, { token: [] }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: sorted(components.schemas),
      responses: sorted(components.responses),
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

/** By name, so that a new endpoint moves nothing in what is compared by its lines. */
function sorted(all: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(all).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function operation(endpoint: Endpoint, components: Components): JsonObject {
  const { operationId, tag, summary, description, request } = endpoint;
  const parameters = [
    ...parametersOf(request.params, 'path'),
    ...parametersOf(request.query, 'query'),
    ...parametersOf(request.headers, 'header'),
  ];
  return {
    operationId,
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    ...(parameters.length > 0 && { parameters }),
    ...(request.body && { requestBody: requestBodyOf(request.body, request, components) }),
    responses: responsesOf(endpoint, components),
  };
}

function parametersOf(schema: z.ZodObject | undefined, place: 'path' | 'query' | 'header'): JsonObject[] {
  return Object.entries(schema?.shape ?? {}).map(([name, field]) => {
    // As it is read, not as it is sent: everything is text on the way.
    const { $schema: _, description, ...json } = z.toJSONSchema(field as z.ZodType, { io: 'output' });
    const required = place === 'path' || !(field as z.ZodType).safeParse(undefined).success;
    return { name, in: place, required, ...(description !== undefined && { description }), schema: json };
  });
}

function requestBodyOf(body: z.ZodType, request: RequestSchemas, components: Components): JsonObject {
  const media = request.mediaType ?? 'application/json';
  return {
    required: !body.safeParse({}).success,
    content: { [media]: { schema: components.schema(body, 'input') } },
  };
}

function responsesOf({ responses, problems }: Endpoint, components: Components): JsonObject {
  const refusals = [...problems, ...ALWAYS].map((status: DocumentedProblem) => [
    status,
    components.problem(status),
  ]);
  const answers = Object.entries(responses).map(([status, spec]) => [status, responseOf(spec, components)]);
  const gateway = Object.entries(FROM_GATEWAY).map(([status, name]) => [
    status,
    { $ref: `#/components/responses/${name}` },
  ]);
  return Object.fromEntries([...answers, ...gateway, ...refusals]);
}

function responseOf(
  { description, schema, headers, links }: ResponseSpec,
  components: Components,
): JsonObject {
  return {
    description,
    ...(headers && { headers: headersOf(headers) }),
    ...(schema && { content: { 'application/json': { schema: components.schema(schema, 'output') } } }),
    ...(links && { links: linksOf(links) }),
  };
}

function headersOf(headers: NonNullable<ResponseSpec['headers']>): JsonObject {
  const entries = Object.entries(headers).map(([name, header]) => {
    const { description, optional } = typeof header === 'string' ? { description: header } : header;
    return [name, { description, required: !optional, schema: { type: 'string' } }];
  });
  return Object.fromEntries(entries);
}

/** `parameters`: where in the answer each is. */
function linksOf(links: NonNullable<ResponseSpec['links']>): JsonObject {
  const entries = Object.entries(links).map(([operationId, parameters]) => [
    operationId,
    { operationId, parameters },
  ]);
  return Object.fromEntries(entries);
}
