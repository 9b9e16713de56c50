import { expect, it } from 'vitest';
import { isNewerZoneData } from '../../../lambdas/core/zones/zone-version.ts';

const IN_ORDER = ['a', 'unknown', '1999z', '2025b', '2025c', '2025z', '2025za', '2026a', '2026b'];

it('orders versions by year and letter, and what is no version before them', () => {
  for (const [index, version] of IN_ORDER.entries())
    for (const [other, text] of IN_ORDER.entries())
      expect(isNewerZoneData(version, text), `${version} after ${text}`).toBe(index > other);
});

it('any is later than none', () => {
  expect(isNewerZoneData('unknown', undefined)).toBe(true);
});
