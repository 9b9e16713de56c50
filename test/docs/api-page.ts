/** The parts of an OpenAPI 3.1 document and of JSON Schema that the page shows. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly required?: readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

interface Response {
  readonly $ref?: string;
  readonly description?: string;
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

interface Operation {
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<Record<string, Response>>;
}

export interface OpenApi {
  readonly info: { readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, Response>>;
  };
}

const GENERATED =
  '<!-- Written by `npm run docs` from docs/openapi.json. Change the schemas in lambdas/ instead. -->';

/** docs/api.md: what docs/openapi.json says, for people. */
export function apiPage(document: OpenApi): string {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      title: `${method.toUpperCase()} ${path}`,
      operation,
    })),
  );
  const sections = document.tags.map(({ name, description }) => {
    const own = operations.filter(({ operation }) => operation.tags.includes(name));
    return [`## ${name}`, description, ...own.flatMap((each) => operationSection(document, each))].join(
      '\n\n',
    );
  });
  const schemas = Object.entries(document.components.schemas).map(([name, schema]) =>
    schemaSection(name, schema),
  );
  return [
    '# The API',
    GENERATED,
    document.info.description,
    ...sections,
    '## Types',
    'A request and its answer may differ: what the server fills in is in the answer alone.',
    ...schemas,
  ]
    .join('\n\n')
    .concat('\n');
}

function operationSection(
  document: OpenApi,
  { title, operation }: { readonly title: string; readonly operation: Operation },
): string[] {
  const body = Object.values(operation.requestBody?.content ?? {})[0]?.schema;
  const parameters = operation.parameters ?? [];
  return [
    `### \`${title}\``,
    [`**${operation.summary}.**`, operation.description].filter(Boolean).join(' '),
    ...(parameters.length === 0
      ? []
      : [table(['parameter', 'in', 'type', 'meaning'], parameters.map(parameterRow))]),
    ...(body === undefined ? [] : [`Body: ${typeOf(body)}.`]),
    answersOf(document, operation),
  ];
}

function parameterRow({ name, in: place, required, description, schema }: Parameter): string[] {
  return [`\`${name}\`${required ? '' : ' (optional)'}`, place, typeOf(schema), description ?? ''];
}

function answersOf({ components }: OpenApi, { responses }: Operation): string {
  const success = Object.entries(responses).filter(([status]) => status < '400');
  const problems = Object.keys(responses).filter((status) => status >= '400');
  const lines = success.map(([status, response]) => {
    const named = response.$ref === undefined ? response : components.responses[lastPart(response.$ref)];
    const schema = Object.values(named?.content ?? {})[0]?.schema;
    return `- **${status}** ${named?.description ?? ''}${schema === undefined ? '' : ` ${typeOf(schema)}`}`;
  });
  return [...lines, `- Problems: ${problems.join(', ')}`].join('\n');
}

function schemaSection(name: string, schema: Schema): string {
  const fields = Object.entries(schema.properties ?? {});
  const required = new Set(schema.required);
  const rows = fields.map(([field, type]) => [
    `\`${field}\`${required.has(field) ? '' : ' (optional)'}`,
    typeOf(type),
    [type.description, defaultOf(type)].filter(Boolean).join(' '),
  ]);
  return [
    `### ${name}`,
    ...(schema.description === undefined ? [] : [schema.description]),
    fields.length > 0 ? table(['field', 'type', 'meaning'], rows) : `Type: ${typeOf(schema)}.`,
  ].join('\n\n');
}

const defaultOf = ({ default: value }: Schema) =>
  value === undefined ? undefined : `Default: \`${JSON.stringify(value)}\`.`;

/** A type in words: a link to a named one, the values of an enumeration, or a range. */
export function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) {
    const name = lastPart(schema.$ref);
    return `[${name}](#${name.toLowerCase()})`;
  }
  if (schema.const !== undefined) return code(schema.const);
  if (schema.enum) return schema.enum.map(code).join(', ');
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices) return choices.map(typeOf).join(' or ');
  if (schema.type === 'array') return `list of ${typeOf(schema.items ?? {})}`;
  if (schema.type === 'object' && typeof schema.additionalProperties === 'object')
    return `map of ${typeOf(schema.additionalProperties)}`;
  return `${schema.type ?? 'any JSON value'}${noteOf(schema)}`;
}

function noteOf({ format, minimum, maximum }: Schema): string {
  if (format !== undefined) return ` (${format})`;
  // The bounds of an integer as such say nothing.
  const from = minimum === Number.MIN_SAFE_INTEGER ? undefined : minimum;
  const to = maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum;
  if (from !== undefined && to !== undefined) return ` (${from} to ${to})`;
  if (from !== undefined) return ` (${from} or more)`;
  return to === undefined ? '' : ` (at most ${to})`;
}

const code = (value: unknown) => `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
const lastPart = (reference: string) => reference.split('/').at(-1) ?? reference;

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(inCell).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

const inCell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
