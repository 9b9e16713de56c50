import { AsyncLocalStorage } from 'node:async_hooks';
import {
  ProvisionedThroughputExceededException,
  type ServiceInputTypes,
  type ServiceOutputTypes,
  TransactionCanceledException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { DeserializeMiddleware, InitializeMiddleware, RetryStrategyV2 } from '@smithy/types';
import { SECOND } from '../../../lambdas/core/time.ts';
import type { CallCounter, Effect, Fault } from './calls.ts';
import type { Life } from './life.ts';
import { retryByClock } from './retry.ts';

/** Refusals that the SDK's retries are to get over. */
const TRANSIENT_REFUSALS = 2;
/** How long a client waits for an answer, as those of production do. */
const REQUEST_TIMEOUT = 5 * SECOND;

/** The fault of the call under way travels from the outer to the inner middleware in the SDK's own context. */
interface Wire {
  punctualFault?: {
    readonly owner: Owner;
    readonly fault: Fault | undefined;
    /** How many requests it is still to meet. */
    left: number;
  };
}

/** The process that a call is made by. */
interface Owner {
  readonly name: string;
  readonly life: Life;
  readonly calls: CallCounter;
}

const owners = new AsyncLocalStorage<Owner>();

/** A process' retry strategy, with the budget of its own that its client has. */
const strategies = new WeakMap<Life, RetryStrategyV2>();

function ownStrategy(): RetryStrategyV2 {
  const { life, calls } = ownerOfCall();
  const known = strategies.get(life);
  if (known) return known;
  const made = retryByClock(calls.now, (ms) => calls.sleep(ms, life));
  strategies.set(life, made);
  return made;
}

/** For the client that all processes share. */
export const retryOfProcess: RetryStrategyV2 = {
  acquireInitialRetryToken: (scope) => ownStrategy().acquireInitialRetryToken(scope),
  refreshRetryTokenForRetry: (token, info) => ownStrategy().refreshRetryTokenForRetry(token, info),
  recordSuccess: (token) => ownStrategy().recordSuccess(token),
};

function ownerOfCall(): Owner {
  const owner = owners.getStore();
  if (!owner) throw new Error('A tapped client is used by a process.');
  return owner;
}

/** A tapped client as one process has it. Making a real one for each would take longer than what it is used for. */
export function ownedBy(client: DynamoDBDocumentClient, owner: Owner): DynamoDBDocumentClient {
  const send = (command: Parameters<DynamoDBDocumentClient['send']>[0]) =>
    owners.run(owner, () => client.send(command));
  return Object.create(client, { send: { value: send } });
}

/**
 * Counts a client's calls and makes them go wrong. The outer middleware sees each call once and stands for the
 * process around it; the inner one sees each request on the wire, below the SDK's retries.
 */
export function tapClient(client: DynamoDBDocumentClient): void {
  const outer: InitializeMiddleware<ServiceInputTypes, ServiceOutputTypes> = (next, context) => (args) => {
    const owner = ownerOfCall();
    const command = String(context.commandName).replace(/Command$/, '');
    const { IndexName, Key, Item } = args.input as Input;
    const about = {
      process: owner.name,
      what: IndexName === undefined ? command : `${command} ${IndexName}`,
      effect: effectOf(command, IndexName),
      sortKey: textOf((Key ?? Item)?.sk),
    };
    return owner.calls.make(owner.life, about, (fault) => {
      (context as Wire).punctualFault = { owner, fault, left: requestsMet(fault) };
      return next(args);
    });
  };
  const inner: DeserializeMiddleware<ServiceInputTypes, ServiceOutputTypes> =
    (next, context) => async (args) => {
      const wire = (context as Wire).punctualFault;
      const command = String(context.commandName);
      switch (wire?.fault) {
        case 'twice':
          await next(args).catch(() => {});
          return next(args);
        case 'again-late':
          if (wire.left > 0) wire.owner.calls.arriveLate(() => next(args));
          wire.left = 0;
          return next(args);
        case 'unanswered':
        case 'unheard':
        case 'silent': {
          if (wire.left === 0) return next(args);
          wire.left -= 1;
          if (wire.fault === 'unanswered') await next(args).catch(() => {});
          await wire.owner.calls.sleep(REQUEST_TIMEOUT, wire.owner.life);
          throw timeout();
        }
        case 'throttled':
        case 'conflict':
        case 'refused':
          if (wire.left > 0) {
            wire.left -= 1;
            throw refusal(wire.fault, command);
          }
          return next(args);
        case 'stale': {
          const answer = await next(args);
          return { ...answer, output: { $metadata: {}, Items: [], Count: 0 } };
        }
        default:
          return next(args);
      }
    };
  client.middlewareStack.add(outer, { step: 'initialize', priority: 'high', name: 'countCalls' });
  client.middlewareStack.addRelativeTo(inner, {
    relation: 'before',
    toMiddleware: 'deserializerMiddleware',
    name: 'failOnTheWire',
  });
}

interface Input {
  readonly IndexName?: string;
  readonly Key?: Readonly<Record<string, unknown>>;
  readonly Item?: Readonly<Record<string, unknown>>;
}

/** Marshalled or not: a document client comes by before it is. */
function textOf(sk: unknown): string | undefined {
  return typeof sk === 'object' ? (sk as { readonly S?: string } | null)?.S : (sk as string | undefined);
}

function requestsMet(fault: Fault | undefined): number {
  switch (fault) {
    case 'refused':
    case 'silent':
      return Number.POSITIVE_INFINITY;
    case 'again-late':
    case 'unanswered':
    case 'unheard':
      return 1;
    default:
      return TRANSIENT_REFUSALS;
  }
}

/** As the SDK's own handler says it. */
const timeout = () => Object.assign(new Error('The test does not answer.'), { name: 'TimeoutError' });

function effectOf(command: string, index: string | undefined): Effect {
  if (index !== undefined) return 'index';
  if (command === 'TransactWriteItems') return 'transaction';
  return /^(Put|Update|Delete)Item$/.test(command) ? 'write' : 'read';
}

function refusal(fault: Fault, command: string): Error {
  const about = { $metadata: {}, message: 'Refused by the test.' };
  const transaction = command === 'TransactWriteItemsCommand';
  if (fault === 'conflict' && !transaction) return new TransactionConflictException(about);
  if (!transaction) return new ProvisionedThroughputExceededException(about);
  const Code = fault === 'conflict' ? 'TransactionConflict' : 'ThrottlingError';
  return new TransactionCanceledException({ ...about, CancellationReasons: [{ Code }] });
}
