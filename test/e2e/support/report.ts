const NAME_WIDTH = 46;

/** Thrown by a step that cannot be taken here; the message says why. */
export class Skipped extends Error {
  override readonly name = 'Skipped';
}

type Mark = 'ok' | 'FAILED' | 'skipped';

export interface Report {
  note(text: string): void;
  /** Takes a step and prints how it ended, how long it took and what it saw. False when it failed. */
  step(name: string, work: () => Promise<string>): Promise<boolean>;
  readonly failed: () => boolean;
  /** The last line. */
  summary(): string;
  /** The same for machines: a JUnit report with the counts and the name of each step. */
  junit(): string;
}

export function createReport(print: (text: string) => void): Report {
  const lines: { readonly mark: Mark; readonly name: string }[] = [];
  const startedAt = Date.now();
  const named = (mark: Mark) => lines.filter((line) => line.mark === mark).map(({ name }) => name);

  function tell(mark: Mark, name: string, since: number, seen: string): void {
    lines.push({ mark, name });
    const time = `${seconds(Date.now() - since)} s`.padStart(8);
    print(`${mark.padEnd(8)}${name.padEnd(NAME_WIDTH)}${time}  ${seen}`.trimEnd());
  }

  return {
    note: print,
    async step(name, work) {
      const since = Date.now();
      try {
        tell('ok', name, since, await work());
      } catch (error) {
        const text = error instanceof Error ? error.message : String(error);
        tell(error instanceof Skipped ? 'skipped' : 'FAILED', name, since, text);
        return error instanceof Skipped;
      }
      return true;
    },
    failed: () => named('FAILED').length > 0,
    summary() {
      const failed = named('FAILED');
      const time = seconds(Date.now() - startedAt);
      const counts = `${named('ok').length} ok, ${failed.length} failed, ${named('skipped').length} skipped in ${time} s`;
      return failed.length === 0 ? counts : `${counts}: ${failed.join('; ')}`;
    },
    junit() {
      const [failures, skipped] = [named('FAILED').length, named('skipped').length];
      const inside = { ok: '', FAILED: '<failure/>', skipped: '<skipped/>' };
      return [
        `<testsuite name="e2e" tests="${lines.length}" failures="${failures}" errors="0" skipped="${skipped}">`,
        ...lines.map(({ mark, name }) => `<testcase name="${name}">${inside[mark]}</testcase>`),
        '</testsuite>',
      ].join('\n');
    },
  };
}

export const seconds = (ms: number): string => (ms / 1_000).toFixed(1);
