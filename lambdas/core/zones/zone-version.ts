/** IANA's releases: a year and a letter, such as 2025c; after z there would be more letters. */
const RELEASE = /^(\d{4})([a-z]+)$/;

/**
 * Whether a version of the zone data is later than another; any is later than none. Text that is no release of IANA's
 * comes before all that are, and among its like in the order of text: two versions never are each later than the other.
 */
export function isNewerZoneData(version: string, other: string | undefined): boolean {
  if (other === undefined) return true;
  const [a, b] = [RELEASE.exec(version), RELEASE.exec(other)];
  if (!a || !b) return a || b ? a !== null : version > other;
  const [, year = '', letters = ''] = a;
  const [, otherYear = '', otherLetters = ''] = b;
  if (year !== otherYear) return year > otherYear;
  if (letters.length !== otherLetters.length) return letters.length > otherLetters.length;
  return letters > otherLetters;
}
