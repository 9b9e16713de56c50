import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command, InvalidArgumentError, Option } from 'commander';
import { demo } from './demo.ts';
import { banner } from './output/banner.ts';
import { createReceiver } from './receiver.ts';
import { fail, run } from './run.ts';

const PROJECT = fileURLToPath(new URL('..', import.meta.url));
const DEFAULT_PORT = 4000;

interface Options {
  readonly port?: number;
  readonly data: string;
  readonly memory?: true;
  readonly dynamodb?: string;
  readonly secrets?: string;
  readonly demo?: true;
}

export async function main(argv: readonly string[]): Promise<void> {
  const program = new Command('punctual-local')
    .description(
      'Runs Punctual on this machine: the deployed functions on an embedded engine, no account needed.',
    )
    .option('--port <port>', `port of the API (default: ${DEFAULT_PORT})`, parsePort)
    .option('--data <directory>', 'where everything is kept between runs', resolve(PROJECT, '.punctual'))
    .addOption(
      // What would be ignored is refused: nobody should look for data in a directory that was never written.
      new Option('--memory', 'keep nothing: start empty, end without a trace').conflicts('data'),
    )
    .option('--dynamodb <url>', 'a DynamoDB endpoint to use in place of the embedded engine')
    .option('--secrets <file>', 'JSON with the secrets that targets name: { "<ARN>": "<secret>" }')
    .addOption(
      new Option('--demo', 'show a schedule firing every five seconds, on data of its own').conflicts([
        'data',
        'memory',
        'dynamodb',
        'secrets',
      ]),
    )
    .helpOption('--help', 'show this');
  program.parse(argv, { from: 'user' });
  const options = program.opts<Options>();
  await (options.demo ? demo(options.port ?? 0) : serve(options)).catch(fail);
}

function serve({ port = DEFAULT_PORT, data, memory, dynamodb, secrets }: Options): Promise<void> {
  const directory = memory ? undefined : resolve(data);
  const kept = keptIn(directory, dynamodb);
  return run({
    port,
    directory,
    dynamodbUrl: dynamodb,
    secretsFile: secrets === undefined ? undefined : resolve(secrets),
    showChanges: true,
    beside: createReceiver(),
    onStarted: ({ apiUrl }) => {
      process.stdout.write(`${banner(apiUrl, kept)}\n`);
    },
  });
}

function keptIn(directory: string | undefined, dynamodb: string | undefined): string {
  if (dynamodb !== undefined) return `its data is in the DynamoDB at ${dynamodb}`;
  return directory === undefined ? 'it keeps nothing' : `its data is in ${shown(directory)}`;
}

/** Relative where that is shorter to read. */
function shown(directory: string): string {
  const path = relative(process.cwd(), directory);
  return path === '' || path.startsWith('..') ? directory : path;
}

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError('A port is a number from 0 (any free one) to 65535.');
}
