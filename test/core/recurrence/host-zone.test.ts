import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { CASES } from './case-table.ts';

const CHILD = fileURLToPath(new URL('./host-zone-child.ts', import.meta.url));

function answersUnder(zone: string): { hostOffset: number; answers: unknown[] } {
  const env = { ...process.env, TZ: zone };
  return JSON.parse(execFileSync(process.execPath, [CHILD], { env, encoding: 'utf8' }));
}

const inUtc = answersUnder('UTC');

test.each(['Asia/Tokyo', 'Australia/Sydney', 'America/New_York', 'Australia/Lord_Howe'])(
  'answers do not depend on the host being in %s',
  (zone) => {
    const there = answersUnder(zone);
    expect(there.hostOffset).not.toBe(inUtc.hostOffset);
    expect(there.answers).toEqual(inUtc.answers);
  },
);

test.each(CASES.filter((one) => one.hostTZ).map((one) => [one.id, one] as const))(
  '%s is answered on the host zone that it was reported from',
  (_, one) => {
    const found = answersUnder(one.hostTZ ?? '').answers[CASES.indexOf(one)];
    expect(found).toEqual(one.expectReject ? 'timezone.unknown' : one.expect);
  },
);
