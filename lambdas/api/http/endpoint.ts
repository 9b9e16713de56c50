import type * as z from 'zod';
import type { Caller } from '../deps.ts';
import type { Tag } from '../openapi/about.ts';
import type { DocumentedProblem } from './documented-problems.ts';

/**
 * One method of one path as data: what it takes is checked by the very schemas that document it
 * (lambdas/api/openapi). Zod turns its schemas into OpenAPI 3.1's by itself; a library for it would add 400 kB of
 * zod's translations to the bundle, a third of a cold start.
 */
export interface Endpoint {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** With OpenAPI's placeholders: `/schedules/{group}/{name}`. */
  readonly path: string;
  /** Unique and stable: generated clients name their methods by it. */
  readonly operationId: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
  readonly request: RequestSchemas;
  readonly responses: Readonly<Record<number, ResponseSpec>>;
  readonly problems: readonly DocumentedProblem[];
}

export interface RequestSchemas {
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  /** Names in lower case; others than these are not looked at. */
  readonly headers?: z.ZodObject;
  readonly body?: z.ZodType;
  /** `application/json` is taken always; this one is documented in its place. */
  readonly mediaType?: string;
}

export interface ResponseSpec {
  readonly description: string;
  readonly schema?: z.ZodType;
  /** Name and meaning of the headers that matter. */
  readonly headers?: Readonly<Record<string, string | OptionalHeader>>;
  /** Operations that its parts lead to: the parameters of each, as OpenAPI's runtime expressions. */
  readonly links?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export interface OptionalHeader {
  readonly description: string;
  readonly optional: true;
}

type Output<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

/** What a handler is given: the parts of the request, checked, with defaults. */
export interface Input<E extends Endpoint> {
  readonly params: Output<E['request']['params']>;
  readonly query: Output<E['request']['query']>;
  readonly headers: Output<E['request']['headers']>;
  readonly body: Output<E['request']['body']>;
  readonly caller: Caller;
}

/** What it answers: one of the documented responses. */
export type Answer<E extends Endpoint> = {
  [Status in keyof E['responses'] & number]: {
    readonly status: Status;
    readonly body: Output<E['responses'][Status]['schema']>;
    readonly headers?: Readonly<Record<string, string>>;
  };
}[keyof E['responses'] & number];

export type Handler<E extends Endpoint> = (input: Input<E>) => Promise<Answer<E>> | Answer<E>;

/** One answer; its status keeps its literal type, by which it is matched with what is documented. */
export function answer<const Status extends number, Body>(
  status: Status,
  body: Body,
  headers: Readonly<Record<string, string>> = {},
) {
  return { status, body, headers };
}

/** Keeps the literal types, which tie a handler to its endpoint. */
export function endpoint<const E extends Endpoint>(spec: E): E {
  return spec;
}

export interface Mounted {
  readonly endpoint: Endpoint;
  readonly handler: Handler<Endpoint>;
}

export function mounted<E extends Endpoint>(spec: E, handler: Handler<E>): Mounted {
  // Inputs and answers are checked where the two meet, here; a list of them has lost which is whose.
  return { endpoint: spec, handler: handler as unknown as Handler<Endpoint> };
}
