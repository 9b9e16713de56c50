/**
 * The recurrence engine: what time texts mean. Pure, stateless and bounded; the zone data is the runtime's.
 * Everything that the rest of Punctual uses is exported here.
 */
export { compileCached } from './cache.ts';
export { type Compiled, compile } from './compile.ts';
export { dueAt } from './jitter.ts';
export type { CalendarDefinition, CompileContext, RecurrenceSpec, Weekday } from './spec.ts';
export type {
  DstPolicy,
  Fire,
  FireNote,
  GapPolicy,
  OverlapTimePolicy,
  Recurrence,
  Warning,
} from './types.ts';

/**
 * The version of the zone data that answers are made from (`2026c`), to be kept with them: another version may
 * answer otherwise. Takes `process.versions`, which the core does not read itself.
 */
export function tzdataVersion(versions: { readonly tz?: string | undefined }): string {
  return versions.tz ?? 'unknown';
}
