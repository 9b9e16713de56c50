import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { CONTEXT_PREFIX, parseConfig } from '../../../lib/config.ts';
import { PunctualStack } from '../../../lib/punctual-stack.ts';

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** What the CDK command would hand to the app: the context of cdk.json, and settings as `-c` gives them. */
export function contextOf(settings: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const { context } = JSON.parse(readFileSync(`${ROOT}cdk.json`, 'utf8'));
  const own = Object.entries(settings).map(([key, value]) => [`${CONTEXT_PREFIX}${key}`, value]);
  return { ...context, ...Object.fromEntries(own) };
}

/** The stack without its bundles, which take seconds and change nothing but asset hashes. */
export function stackOf(settings: Readonly<Record<string, unknown>> = {}): PunctualStack {
  const app = new App({
    context: { ...contextOf(settings), 'aws:cdk:bundling-stacks': [] },
    // Takes a second or two to load. test/infra/app.test.ts runs the app with it.
    builtinCloudFormationValidation: false,
  });
  const config = parseConfig(app.node.getAllContext());
  return new PunctualStack(app, config.stackName, config);
}

const templates = new Map<string, Template>();

/** Synthesised once per set of settings and file. */
export function templateOf(settings: Readonly<Record<string, unknown>> = {}): Template {
  const key = JSON.stringify(settings);
  const template = templates.get(key) ?? Template.fromStack(stackOf(settings));
  templates.set(key, template);
  return template;
}

export interface Resource {
  readonly Type: string;
  readonly Properties: Record<string, unknown>;
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
}

/** Resources of a type by a name that people can read: the logical id without its hash. */
export function resourcesOf(template: Template, type: string): Record<string, Resource> {
  return Object.fromEntries(
    Object.entries(template.findResources(type)).map(([id, resource]) => [nameOf(id), resource as Resource]),
  );
}

export function propertiesOf(template: Template, type: string, name: string): Record<string, unknown> {
  const resource = resourcesOf(template, type)[name];
  if (resource === undefined) throw new Error(`No ${type} is called ${name}`);
  return resource.Properties;
}

/** CDK ends each logical id with eight hexadecimal digits. */
function nameOf(logicalId: string): string {
  return logicalId.replace(/[0-9A-F]{8}$/, '');
}

/** An intrinsic as text: `{ Fn::GetAtt: [StoreSchedules…, Arn] }` → `<StoreSchedules.Arn>`. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  const { Ref, 'Fn::GetAtt': attribute, 'Fn::Join': join } = value as Record<string, unknown>;
  if (typeof Ref === 'string') return `<${nameOf(Ref)}>`;
  if (Array.isArray(attribute)) return `<${nameOf(attribute[0])}.${attribute[1]}>`;
  if (Array.isArray(join)) return join[1].map(textOf).join(join[0]);
  throw new Error(`No text for ${JSON.stringify(value)}`);
}
