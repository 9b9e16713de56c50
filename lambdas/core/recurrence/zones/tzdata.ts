/**
 * The version of the zone data that answers are made from (`2026c`), to be kept with them: another version may
 * answer otherwise. Takes `process.versions`, which the core does not read itself.
 */
export function tzdataVersion(versions: Readonly<Record<string, string | undefined>>): string {
  return versions.tz ?? 'unknown';
}
