import type * as z from 'zod';

/** A secret that a target names, with its place in the target: `headers.authorization`. */
export interface NamedSecret {
  readonly field: string;
  readonly secret: string;
}

/** An ARN that the deployer must have allowed, and what the worker may then do with it. */
export interface ArnRule<Target> {
  readonly by: 'arn';
  /** The field of the target that has the ARN. */
  readonly field: string;
  arnOf(target: Target): string;
  /** The ARN that IAM asks for, where that is not the one called. */
  granted?(arn: string): string;
  /** The service, as ARNs write it. */
  readonly service: string;
  /** How the resource begins, up to its name. */
  readonly prefix: string;
  /** The rest of it in an entry of the allow list, wildcards included, as a regular expression. */
  readonly entry: string;
  /** The action that IAM lets the worker do. */
  readonly action: string;
}

/** A URL whose host the deployer may have restricted. */
export interface HostRule<Target> {
  readonly by: 'host';
  urlOf(target: Target): string;
}

/** What decides whether a target of a kind may be called. Each kind says so: nothing is allowed by omission. */
export type AllowRule<Target> = ArnRule<Target> | HostRule<Target> | { readonly by: 'nothing-is-called' };

/**
 * All there is to know of a kind of target, except how it is called (adapters/targets). The functions are methods so
 * that a kind is also a kind of any target.
 */
export interface TargetKind<Target, Schema extends z.ZodType = z.ZodType> {
  /** What a request may say; its output is the type of the target. */
  readonly schema: Schema;
  readonly allowed: AllowRule<Target>;
  /** Every secret that a target names; those that are not allowed are not fetched. */
  secretsOf?(target: Target): readonly NamedSecret[];
  /** The fields whose texts may have placeholders. */
  readonly placeholdersIn: readonly string[];
  /** Whether an attempt may go on after the call without `completion: callback`, so that it gets a token to end it. */
  readonly mayFinishLater: boolean;
  /** Other schedulers' names of its fields, for hints: field → names, as `normalised` leaves them. */
  readonly aliases: Readonly<Record<string, string>>;
}

/** Lets the compiler infer the type of a target from the schema of its kind. */
export function defineTargetKind<Schema extends z.ZodType>(
  kind: TargetKind<z.output<Schema>, Schema>,
): TargetKind<z.output<Schema>, Schema> {
  return kind;
}
