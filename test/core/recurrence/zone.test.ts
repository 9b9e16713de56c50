import { describe, expect, test } from 'vitest';
import { segmentsOf } from '../../../lambdas/core/recurrence/segments.ts';
import { wallAt } from '../../../lambdas/core/recurrence/zones/local.ts';
import { zoneOf } from '../../../lambdas/core/recurrence/zones/zone.ts';
import { epochMs } from '../../../lambdas/core/time.ts';
import { randomFrom } from './mutate.ts';
import { wallsOf } from './oracle.ts';
import { recurrence, refused } from './support.ts';

const ZONES = Intl.supportedValuesOf('timeZone');

describe('zones', () => {
  test('show what Intl shows, at random instants of two centuries', () => {
    const random = randomFrom(7);
    for (let index = 0; index < 3_000; index += 1) {
      const name = ZONES[random(ZONES.length)] ?? 'UTC';
      const at = Date.UTC(1920 + random(180), random(12), 1 + random(28), random(24), random(60), random(60));
      const [expected] = wallsOf(name, at, at + 1, 1);
      expect(wallAt(zoneOf(name), at / 1_000) * 1_000, `${name} ${at}`).toBe(expected);
    }
  });

  test('show what Intl shows on either side of each transition of forty years', () => {
    const zones = ['America/New_York', 'Pacific/Apia', 'Africa/Casablanca', 'Asia/Gaza', 'America/Recife'];
    for (const name of zones) {
      const zone = zoneOf(name);
      const end = Date.UTC(2040, 0, 1) / 1_000;
      let seen = 0;
      for (let at = Date.UTC(2000, 0, 1) / 1_000; at < end; ) {
        const segment = zone.segmentAt(at);
        for (const second of [segment.end - 1, segment.end]) {
          const [expected = 0] = wallsOf(name, second * 1_000, second * 1_000 + 1, 1);
          expect(wallAt(zone, second)).toBe(expected / 1_000);
        }
        if (zone.segmentAt(segment.end).jumpAt === segment.end) seen += 1;
        at = segment.end;
      }
      expect(seen, name).toBeGreaterThan(0);
    }
  });

  test.each(['Mars/Olympus', '', 'local', 'system', 'UTC+3', 'America/New York', 'x'.repeat(500), '+25:00'])(
    'refuse the name %j',
    (timezone) => {
      const error = refused(() => recurrence('@daily', { timezone }));
      expect(error).toMatchObject({ code: 'timezone.unknown', field: 'timezone' });
      expect(error.message).toContain('IANA');
    },
  );

  test.each([
    ['BST', 'Europe/London'],
    ['AST', 'America/Halifax'],
    ['pst', 'America/Los_Angeles'],
    ['CST', 'America/Chicago'],
    ['IST', 'Asia/Kolkata'],
    ['CEST', 'Europe/Berlin'],
    ['EDT', 'America/New_York'],
    ['JST', 'Asia/Tokyo'],
  ])('refuse the abbreviation %s, naming %s', (timezone, likely) => {
    const error = refused(() => recurrence('@daily', { timezone }));
    expect(error).toMatchObject({ code: 'timezone.unknown', field: 'timezone' });
    expect(error.message).toContain(`"${likely}"`);
  });

  test('refuse each abbreviation that ICU has a meaning for, and SystemV', () => {
    const own =
      'ACT AET AGT ART AST BET BST CAT CNT CST CTT EAT ECT IET IST JST MIT NET NST PLT PNT PRT PST SST VST';
    for (const timezone of [...own.split(' '), 'SystemV/PST8PDT', 'DTSTART'])
      expect(() => recurrence('@daily', { timezone }), timezone).toThrow('IANA');
    expect(() => recurrence('DTSTART;TZID=PST:20260101T090000 RRULE:FREQ=DAILY')).toThrow(
      'America/Los_Angeles',
    );
  });

  test('have the names and links of the IANA data, in any case', () => {
    const links =
      'EST5EDT EST MST HST CET MET EET WET PST8PDT GB GB-Eire NZ PRC ROK W-SU Zulu UCT GMT GMT0 GMT+0 utc eire';
    const names = [
      ...ZONES,
      ...links.split(' '),
      'US/Pacific',
      'Etc/GMT+5',
      'Asia/Calcutta',
      'europe/berlin',
      '+05:30',
    ];
    for (const timezone of names) expect(() => recurrence('@daily', { timezone }), timezone).not.toThrow();
  });

  test('that keep one offset where clocks around them change are warned of', () => {
    const codes = (timezone: string) =>
      recurrence('@daily', { timezone })
        .warnings(epochMs(0))
        .map(({ code }) => code);
    expect(codes('EST')).toContain('zone-without-dst');
    expect(codes('EST5EDT')).not.toContain('zone-without-dst');
  });

  test('know a change of clocks just outside the stretch that is tabulated', () => {
    const change = 1_000_000_000;
    const backAt = (utc: number): number => (utc < change ? 7_200 : 3_600);
    const [after] = segmentsOf(change + 600, change + 10_000_000, backAt);
    expect(after).toMatchObject({ start: change + 600, offset: 3_600, before: 7_200, jumpAt: change });
    const before = segmentsOf(change - 10_000_000, change - 600, backAt).at(-1);
    expect(before).toMatchObject({
      end: change - 600,
      offset: 7_200,
      tailFrom: change - 3_600,
      tailJump: 3_600,
    });
  });
});
