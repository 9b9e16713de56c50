import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createReport, Skipped } from '../e2e/support/report.ts';
import { countsOf, resultOf } from './counts.ts';
import { runSuites, type Suite } from './run.ts';

const VITEST = `<?xml version="1.0" encoding="UTF-8" ?>
<testsuites name="vitest tests" tests="7" failures="2" errors="1" time="0.02">
  <testsuite name="bad.test.ts" tests="1" failures="1" errors="0" skipped="0" time="0.008">
    <testcase classname="bad.test.ts" name="e"><failure message="&lt;testsuite tests=&quot;9&quot;&gt;"></failure></testcase>
  </testsuite>
  <testsuite name="cannot-be-loaded.test.ts" tests="1" failures="1" errors="0" skipped="0" time="0"></testsuite>
  <testsuite name="good.test.ts" tests="4" failures="0" errors="0" skipped="2" time="0.005"></testsuite>
  <testsuite name="vitest unhandled errors" tests="1" failures="0" errors="1" skipped="0" time="0"></testsuite>
</testsuites>`;

const SCHEMATHESIS = `<?xml version="1.0" encoding="utf-8"?>
<testsuites errors="0" failures="0" skipped="0" tests="41" time="64.5">
  <testsuite name="schemathesis" hostname="vm" errors="0" failures="0" skipped="0" tests="41" time="64.5">
    <testcase name="POST /plan" time="7.2" />
  </testsuite>
</testsuites>`;

describe('a report is counted', () => {
  it('of vitest, with files that cannot be loaded and errors outside of tests', () => {
    expect(countsOf(VITEST)).toEqual({ passed: 2, failed: 3 });
  });

  it('of schemathesis', () => {
    expect(countsOf(SCHEMATHESIS)).toEqual({ passed: 41, failed: 0 });
  });

  it('of the end-to-end stories', async () => {
    const report = createReport(() => {});
    await report.step('one', async () => '');
    await report.step('two', async () => '');
    await report.step('three', () => Promise.reject(new Error('<no>')));
    await report.step('four', () => Promise.reject(new Skipped('not here')));
    expect(countsOf(report.junit())).toEqual({ passed: 2, failed: 1 });
  });
});

describe('a suite adds to the sum', () => {
  it.each([
    ['its report', { exitCode: 0, report: SCHEMATHESIS }, { passed: 41, failed: 0 }],
    ['a failure that is in no report', { exitCode: 1, report: SCHEMATHESIS }, { passed: 41, failed: 1 }],
    ['one failure when it left no report', { exitCode: 1, report: undefined }, { passed: 0, failed: 1 }],
    ['one failure when it tested nothing', { exitCode: 0, report: undefined }, { passed: 0, failed: 1 }],
    [
      'nothing when it says that it cannot run here',
      { exitCode: 77, report: undefined },
      { passed: 0, failed: 0 },
    ],
  ])('%s', (_, ended, counts) => {
    expect(resultOf(ended)).toEqual(counts);
  });
});

describe('suites run one after the other', () => {
  const reports = mkdtempSync(join(tmpdir(), 'suites-'));
  afterAll(() => rmSync(reports, { recursive: true }));

  const script = (name: string, code: string): Suite => ({
    name,
    command: process.execPath,
    args: (report) => ['-e', code, report],
  });
  const writes = (text: string) => `require('fs').writeFileSync(process.argv[1], ${JSON.stringify(text)});`;

  async function linesOf(suites: readonly Suite[], stop = new AbortController().signal) {
    const lines: string[] = [];
    await runSuites(suites, { reports, stop, write: (line) => void lines.push(line) });
    return lines;
  }

  it('and the last line is their sum, whatever becomes of one of them', async () => {
    const lines = await linesOf([
      script('good', writes(SCHEMATHESIS)),
      script('bad', `${writes(VITEST)} process.exit(1)`),
      script('dead', `process.kill(process.pid, 'SIGKILL')`),
      { name: 'missing', command: 'there-is-no-such-command', args: () => [] },
    ]);
    expect(lines).toEqual([
      'good: 41 passed, 0 failed',
      'bad: 2 passed, 3 failed',
      'dead: 0 passed, 1 failed',
      'missing: 0 passed, 1 failed',
      '43 passed, 5 failed',
    ]);
  });

  it('and none begins after somebody has asked to stop', async () => {
    const stop = new AbortController();
    const suites = [script('endless', 'setInterval(() => {}, 1e9)'), script('after', writes(SCHEMATHESIS))];
    const lines = linesOf(suites, stop.signal);
    stop.abort();
    expect(await lines).toEqual([
      'endless: 0 passed, 1 failed',
      'after: 0 passed, 1 failed',
      '0 passed, 2 failed',
    ]);
  });
});
