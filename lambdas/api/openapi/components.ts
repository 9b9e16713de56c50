import * as z from 'zod';
import { DOCUMENTED_PROBLEMS, type DocumentedProblem } from '../http/documented-problems.ts';
import { TITLES } from '../http/problem.ts';
import { PROBLEM_MEDIA_TYPE, problemView } from '../http/problem-schema.ts';

export type JsonObject = Record<string, unknown>;

const GATEWAY_MESSAGE = {
  type: 'object',
  properties: { message: { type: 'string' } },
  required: ['message'],
  examples: [{ message: 'Forbidden' }],
} as const;

const RETRY_AFTER = {
  'Retry-After': {
    description: 'Seconds until the same request is worth sending again.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
  },
} as const;

const fromGateway = (what: string) => ({
  description: `From API Gateway: ${what}`,
  content: { 'application/json': { schema: { $ref: '#/components/schemas/GatewayMessage' } } },
});

/** What operations share, kept once and referred to. */
export class Components {
  readonly schemas: JsonObject = { GatewayMessage: GATEWAY_MESSAGE };
  readonly responses: JsonObject = {
    Unauthorized: fromGateway('the token is missing or not valid.'),
    RequestHeaderFieldsTooLarge: {
      description: 'From API Gateway: the line of the request and its headers are longer than 10,240 bytes.',
    },
    Forbidden: fromGateway('the request is not signed, or who sent it may not call this.'),
  };

  /** A default makes a field optional in a request and certain in an answer: each has a schema of its own. */
  schema(schema: z.ZodType, io: 'input' | 'output'): unknown {
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

  problem(status: DocumentedProblem): JsonObject {
    const name = (TITLES[status] ?? String(status)).replaceAll(' ', '');
    this.responses[name] ??= {
      description: DOCUMENTED_PROBLEMS[status],
      ...((status === 429 || status === 503) && { headers: RETRY_AFTER }),
      content: { [PROBLEM_MEDIA_TYPE]: { schema: this.schema(problemView, 'output') } },
    };
    return { $ref: `#/components/responses/${name}` };
  }
}
