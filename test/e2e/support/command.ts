import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface CommandOptions {
  readonly env: Environment;
  readonly cwd: string;
  /** Takes all that the command prints; what is there stays. */
  readonly log: string;
  readonly withinMs: number;
}

const LAST_LINES = 40;

/** A command did not end well. `lines` are the last that it printed. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
  readonly lines: readonly string[];

  constructor(sentence: string, lines: readonly string[]) {
    super([sentence, ...lines].join('\n  '));
    this.lines = lines;
  }
}

/** Runs a command to its end and answers all that it printed. */
export async function run(
  command: string,
  args: readonly string[],
  options: CommandOptions,
): Promise<string> {
  const { env, cwd, log, withinMs } = options;
  const child = spawn(command, args, {
    env,
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: withinMs,
    // Its own process group: Ctrl-C is for us, who remove what is being deployed once it is there.
    detached: process.platform !== 'win32',
  });
  const file = createWriteStream(log, { flags: 'a' });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      file.write(part);
    });
  }
  try {
    const [code, signal] = await once(child, 'close');
    if (code === 0) return text;
    const end = signal === null ? `ended with code ${code}` : `was stopped by ${signal}`;
    throw new CommandFailed(
      `${[command, ...args].join(' ')} ${end}:`,
      text.trim().split('\n').slice(-LAST_LINES),
    );
  } finally {
    file.end();
  }
}
