import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';

/**
 * Runs the command until its standard input closes. That happens however its parent ends, kill -9 included,
 * so that no engine is left behind holding a database. What was to be thrown away goes with it.
 */
const UNTIL_PARENT_ENDS = `discard=$1; shift
"$@" </dev/null & child=$!
exec 3<&0
( cat <&3 >/dev/null; kill "$child" 2>/dev/null ) &
watcher=$!
# The shell must not write to pipes that nobody reads any more: that would end it before its last lines.
exec 3<&- </dev/null >/dev/null 2>&1
wait "$child"; code=$?
kill "$watcher" 2>/dev/null
[ -n "$discard" ] && rm -rf "$discard"
exit "$code"`;

export interface Child {
  readonly process: ChildProcessByStdio<Writable, Readable, Readable>;
  stop(): Promise<void>;
}

/** A child process that does not outlive this one; nor does the directory `discard`. */
export function spawnBound(
  command: string,
  args: readonly string[],
  discard = '',
  env: NodeJS.ProcessEnv = process.env,
): Child {
  const bound = process.platform !== 'win32';
  const [file, argv] = bound
    ? ['/bin/sh', ['-c', UNTIL_PARENT_ENDS, 'sh', discard, command, ...args]]
    : [command, args];
  // Its own process group: Ctrl-C at the terminal is for us, who let running work finish first.
  const child = spawn(file, argv, { stdio: ['pipe', 'pipe', 'pipe'], detached: bound, env });
  const kill = () => child.kill();
  if (!bound) process.once('exit', kill);
  // A child that is gone already closes the pipe under us; there is nothing to do about it.
  child.stdin.on('error', () => {});
  return {
    process: child,
    async stop() {
      process.off('exit', kill);
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      if (bound) child.stdin.end();
      else child.kill();
      await exited;
    },
  };
}
