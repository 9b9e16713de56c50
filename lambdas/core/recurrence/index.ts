/**
 * The recurrence engine: what time texts mean. Pure, stateless and bounded; the zone data is the runtime's.
 * Everything that the rest of Punctual uses is exported here.
 */
export { compileCached } from './cache.ts';
export { type Compiled, compile } from './compile.ts';
export { checkCalendar } from './exclude/calendar.ts';
export { type Explanation, explainAt } from './explain/explain.ts';
export { dueAt } from './jitter.ts';
export {
  DEFAULT_PREVIEW,
  MAX_PREVIEW,
  type Preview,
  type PreviewFire,
  type PreviewOptions,
  preview,
  requireFuture,
} from './preview.ts';
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
export { measureWork } from './work.ts';
export { momentOf, parseMoment } from './zones/local.ts';
export { tzdataVersion } from './zones/tzdata.ts';
