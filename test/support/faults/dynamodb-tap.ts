import { AsyncLocalStorage } from 'node:async_hooks';
import {
  ProvisionedThroughputExceededException,
  type ServiceInputTypes,
  type ServiceOutputTypes,
  TransactionCanceledException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { DeserializeMiddleware, InitializeMiddleware } from '@smithy/types';
import type { CallCounter, Effect, Fault } from './calls.ts';
import type { Life } from './life.ts';

/** Refusals that the SDK's retries are to get over. */
const TRANSIENT_REFUSALS = 2;

/** The fault of the call under way travels from the outer to the inner middleware in the SDK's own context. */
interface Wire {
  punctualFault?: { readonly fault: Fault | undefined; left: number };
}

/** The process that a call is made by. */
interface Owner {
  readonly name: string;
  readonly life: Life;
  readonly calls: CallCounter;
}

const owners = new AsyncLocalStorage<Owner>();

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
    const owner = owners.getStore();
    if (!owner) throw new Error('A tapped client is used by a process.');
    const command = String(context.commandName).replace(/Command$/, '');
    const { IndexName } = args.input as { IndexName?: string };
    const about = {
      process: owner.name,
      what: IndexName === undefined ? command : `${command} ${IndexName}`,
      effect: effectOf(command, IndexName),
    };
    return owner.calls.make(owner.life, about, (fault) => {
      const left = fault === 'refused' ? Number.POSITIVE_INFINITY : TRANSIENT_REFUSALS;
      (context as Wire).punctualFault = { fault, left };
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
