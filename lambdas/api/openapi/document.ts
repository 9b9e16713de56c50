import * as z from 'zod';
import { PROBLEM_MEDIA_TYPE, problemView } from '../../contract/api/problem.ts';
import { DOCUMENTED_PROBLEMS, type DocumentedProblem } from './documented-problems.ts';
import type { Endpoint, RequestSchemas, ResponseSpec } from './endpoint.ts';

type JsonObject = Record<string, unknown>;

/** The OpenAPI 3.1 document of the endpoints. Its schemas are JSON Schema 2020-12, which zod writes. */
export function openApiDocument(endpoints: readonly Endpoint[], info: JsonObject): JsonObject {
  const components = new Components();
  const paths: Record<string, JsonObject> = {};
  for (const endpoint of endpoints) {
    paths[endpoint.path] = { ...paths[endpoint.path], [endpoint.method]: operation(endpoint, components) };
  }
  return { openapi: '3.1.0', info, paths, components: { schemas: components.schemas } };
}

function operation(endpoint: Endpoint, components: Components): JsonObject {
  const { tag, summary, description, request } = endpoint;
  const parameters = [
    ...parametersOf(request.params, 'path'),
    ...parametersOf(request.query, 'query'),
    ...parametersOf(request.headers, 'header'),
  ];
  return {
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
    content: { [media]: { schema: components.add(body, 'input') } },
  };
}

function responsesOf({ responses, problems }: Endpoint, components: Components): JsonObject {
  const problem = { [PROBLEM_MEDIA_TYPE]: { schema: components.add(problemView, 'output') } };
  const refusals = [...problems, 503 as const].map((status: DocumentedProblem) => [
    status,
    {
      description: DOCUMENTED_PROBLEMS[status],
      ...(status === 503 && headersOf({ 'Retry-After': 'Seconds to wait.' })),
      content: problem,
    },
  ]);
  const answers = Object.entries(responses).map(([status, spec]) => [status, responseOf(spec, components)]);
  return Object.fromEntries([...answers, ...refusals]);
}

function responseOf({ description, schema, headers }: ResponseSpec, components: Components): JsonObject {
  return {
    description,
    ...(headers && headersOf(headers)),
    ...(schema && { content: { 'application/json': { schema: components.add(schema, 'output') } } }),
  };
}

function headersOf(headers: Readonly<Record<string, string>>): JsonObject {
  const entries = Object.entries(headers).map(([name, description]) => [
    name,
    { description, schema: { type: 'string' } },
  ]);
  return { headers: Object.fromEntries(entries) };
}

/** Schemas with an id, kept once. A default makes a field optional in a request and certain in an answer. */
class Components {
  readonly schemas: Record<string, unknown> = {};

  add(schema: z.ZodType, io: 'input' | 'output'): unknown {
    const name = (id: string) => (io === 'input' ? `${id}Request` : id);
    const { $schema: _, $defs = {}, ...json } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
    const renamed = (part: unknown) =>
      JSON.parse(JSON.stringify(part), (key, value) =>
        key === '$ref' ? `#/components/schemas/${name(String(value).replace('#/$defs/', ''))}` : value,
      );
    for (const [id, definition] of Object.entries($defs)) this.schemas[name(id)] = renamed(definition);
    // A schema that has an id itself comes as a reference into its own definitions.
    return renamed(json);
  }
}
