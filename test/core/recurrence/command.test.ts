import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const COMMAND = fileURLToPath(new URL('../../../bin/punctual.ts', import.meta.url));

function punctual(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [COMMAND, 'plan', ...args], {
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

const NEW_YORK = ['--timezone', 'America/New_York', '--from', '2026-03-08T05:00:00Z'];

describe('punctual plan', () => {
  test('takes --tz for --timezone, and says where the options are when one is unknown', () => {
    const { stdout } = punctual('0 9 * * *', '--tz', 'Asia/Tokyo', '--from', '2026-01-01', '--count', '1');
    expect(stdout).toContain('2026-01-01T00:00:00.000Z');
    const { status, stderr } = punctual('0 9 * * *', '--zone', 'Asia/Tokyo');
    expect([status, stderr]).toEqual([2, expect.stringContaining('Add --help to see what it takes.')]);
  });

  test('prints JSON with fires, warnings and a description', () => {
    const { status, stdout } = punctual('30 2 * * *', ...NEW_YORK, '--count', '1', '--json');
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      items: [
        {
          scheduledTime: '2026-03-08T07:00:00.000Z',
          local: '2026-03-08T03:00:00-04:00',
          notes: [expect.objectContaining({ code: 'dst.gap.run-after' })],
        },
      ],
      warnings: [expect.objectContaining({ code: 'dst-gap' })],
      recurrence: 'At 02:30, New York time',
    });
  });

  test('prints UTC and local times, notes, warnings and the description for people', () => {
    const { status, stdout } = punctual('30 2 * * *', ...NEW_YORK, '--count', '2');
    expect(status).toBe(0);
    expect(stdout).toContain('At 02:30, New York time\n');
    expect(stdout).toMatch(/^2026-03-08T07:00:00\.000Z {2}2026-03-08T03:00:00-04:00 {2}.*skipped/m);
    expect(stdout).toMatch(/^2026-03-09T06:30:00\.000Z {2}2026-03-09T02:30:00-04:00$/m);
    expect(stdout).toMatch(/^Warning: .*does not exist/m);
  });

  test('follows --gap, --overlap, --exclude, --to and --previous', () => {
    const { stdout } = punctual(
      ...['30 1,2 * * *', ...NEW_YORK, '--gap', 'shift', '--overlap', 'both', '--json'],
      ...['--exclude', '2026-03-09', '--exclude', '30 1 10 3 *', '--to', '2026-03-11'],
    );
    const { items } = JSON.parse(stdout) as { items: { scheduledTime: string }[] };
    expect(items.map(({ scheduledTime }) => scheduledTime)).toEqual([
      '2026-03-08T06:30:00.000Z',
      '2026-03-08T07:30:00.000Z',
      '2026-03-10T06:30:00.000Z',
    ]);
    const back = punctual('@daily', '--from', '2026-03-08', '--previous', '--count', '1', '--json');
    expect(JSON.parse(back.stdout).items[0].scheduledTime).toBe('2026-03-07T00:00:00.000Z');
  });

  test('unites expressions and follows --calendar, --on-excluded, --start-at and --end-at', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'punctual-plan-')), 'holidays.json');
    writeFileSync(file, JSON.stringify({ dates: ['2026-12-25'], closedWeekdays: ['SAT', 'SUN'] }));
    const { status, stdout } = punctual(
      ...['0 9 25 * *', '0 18 28 * *', '--from', '2026-12-01', '--calendar', file, '--json'],
      ...['--on-excluded', 'next-business-day', '--start-at', '2026-12-24', '--end-at', '2027-01-26'],
    );
    expect(status).toBe(0);
    const { items } = JSON.parse(stdout) as { items: { scheduledTime: string }[] };
    expect(items.map(({ scheduledTime }) => scheduledTime)).toEqual([
      // Friday the 25th is closed, and the weekend after it.
      '2026-12-28T09:00:00.000Z',
      '2026-12-28T18:00:00.000Z',
      '2027-01-25T09:00:00.000Z',
    ]);
  });

  test.each([
    [['@daily', '--calendar', 'no-such-file.json'], 'expression.invalid', 'calendar'],
    [['@daily', '--calendar', 'package.json'], 'expression.invalid', 'calendar'],
    [['@daily', '--on-excluded', 'cry'], 'expression.invalid', 'onExcluded'],
    [['@daily', '--day-rule', 'xor'], 'expression.invalid', 'dayRule'],
    [['@daily', '--start-at', 'noon'], 'expression.invalid', 'startAt'],
    [['0 0 30 2 *'], 'expression.never-fires', 'expression'],
    [['0 12 ? * 2 *'], 'expression.ambiguous-dialect', 'expression'],
    [['@daily', '--timezone', 'Mars/X'], 'timezone.unknown', 'timezone'],
    [['@daily', '--gap', 'jump'], 'expression.invalid', 'dst.gap'],
    [['@daily', '--count', 'many'], 'expression.out-of-range', 'count'],
    [['@daily', '--from', 'noon'], 'expression.invalid', 'from'],
    [['@daily', '--exclude', 'x'], 'expression.invalid', 'exclude[0]'],
  ])('refuses %j with exit code 2 and an error that names the field', (args, code, field) => {
    const { status, stdout } = punctual(...args, '--json');
    expect(status).toBe(2);
    expect(JSON.parse(stdout)).toEqual({ error: { code, field, message: expect.any(String) } });
  });

  test('refuses for people on the error stream', () => {
    const { status, stdout, stderr } = punctual('0 0 30 2 *');
    expect(status).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain('never fires');
  });

  test('refuses unknown options with exit code 2', () => {
    expect(punctual('@daily', '--colour').status).toBe(2);
  });
});
