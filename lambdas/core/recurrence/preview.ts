import { PunctualError } from '../errors.ts';
import { type EpochMs, epochMs, MAX_INSTANT, toIso } from '../time.ts';
import type { Compiled } from './compile.ts';
import { dueAt } from './jitter.ts';
import { FIRST_SECOND } from './source.ts';
import type { Fire, FireNote, Warning } from './types.ts';
import { measureWork } from './work.ts';
import { clockText } from './zones/local.ts';
import type { Zone } from './zones/zone.ts';

export const DEFAULT_PREVIEW = 10;
export const MAX_PREVIEW = 1_000;
/** Steps (work.ts) of one preview: about a second. */
const MAX_STEPS = 10_000_000;

export interface PreviewOptions {
  /** Fires strictly after this, or strictly before it when `previous`. */
  readonly from: EpochMs;
  /** At most this many, 1 to MAX_PREVIEW; DEFAULT_PREVIEW when absent, MAX_PREVIEW when `to` is given. */
  readonly count?: number;
  /** None beyond this; a fire at it is in. */
  readonly to?: EpochMs;
  /** The latest first, going back. */
  readonly previous?: boolean;
  /** What warnings that depend on the year are as of. */
  readonly now: EpochMs;
  /** The schedule id, from which a window is hashed. */
  readonly seed: string;
}

/** What the API and the command print; all text, so that it is JSON as it stands. */
export interface Preview {
  readonly items: readonly PreviewFire[];
  readonly warnings: readonly Warning[];
  /** When it runs, in words. */
  readonly recurrence: string;
}

export interface PreviewFire {
  /** ISO instant: `2026-03-08T07:00:00.000Z`. */
  readonly scheduledTime: string;
  /** The same on the clocks of the zone: `2026-03-08T03:00:00-04:00`. */
  readonly local: string;
  readonly notes: readonly FireNote[];
}

/** Throws `expression.out-of-range` naming `from`, `to` or `count`. */
export function preview(compiled: Compiled, options: PreviewOptions): Preview {
  const { from, to, previous = false } = options;
  checkInstant('from', from);
  if (to !== undefined) checkInstant('to', to);
  const count = options.count ?? (to === undefined ? DEFAULT_PREVIEW : MAX_PREVIEW);
  if (!Number.isInteger(count) || count < 1 || count > MAX_PREVIEW)
    throw new PunctualError('expression.out-of-range', `count is a whole number from 1 to ${MAX_PREVIEW}.`, {
      field: 'count',
      value: count,
    });
  const items: PreviewFire[] = [];
  const spent = measureWork();
  let fire = previous ? compiled.prev(from) : compiled.next(from);
  let later = previous && fire ? compiled.next(fire.at) : null;
  while (fire && items.length < count && !isBeyond(fire.at, to, previous) && spent() <= MAX_STEPS) {
    const following: Fire | null = previous ? compiled.prev(fire.at) : compiled.next(fire.at);
    items.push(previewFire(compiled, fire, (previous ? later : following)?.at ?? null, options.seed));
    later = fire;
    fire = following;
  }
  const warnings = compiled.warnings(options.now);
  const isCut = spent() > MAX_STEPS && items.length < count;
  return {
    items,
    warnings: isCut ? [...warnings, cutShort(items.length)] : warnings,
    recurrence: compiled.description,
  };
}

function cutShort(found: number): Warning {
  return {
    code: 'preview-cut-short',
    message:
      `These times take long to find: the preview ends after ${found}. Fewer or simpler exclusions and expressions ` +
      'make it faster; previews of later times start where this one ends.',
  };
}

function isBeyond(at: EpochMs, to: EpochMs | undefined, previous: boolean): boolean {
  return to !== undefined && (previous ? at < to : at > to);
}

function checkInstant(field: string, at: number): void {
  if (at >= FIRST_SECOND * 1_000 && at <= MAX_INSTANT) return;
  throw new PunctualError('expression.out-of-range', `${field} is out of range: 1900 to 9999 is allowed.`, {
    field,
    value: at,
  });
}

function previewFire(compiled: Compiled, fire: Fire, nextAt: EpochMs | null, seed: string): PreviewFire {
  const notes = [...fire.notes, ...windowNotes(compiled, fire, nextAt, seed)];
  return { scheduledTime: toIso(fire.at), local: localText(compiled.zone, fire.at), notes };
}

function windowNotes(
  { spec, windowMs }: Compiled,
  { at }: Fire,
  nextAt: EpochMs | null,
  seed: string,
): FireNote[] {
  if (windowMs === 0) return [];
  const due = dueAt(at, nextAt, windowMs, seed);
  return [{ code: 'window', message: `Starts at ${toIso(due)}, by the window of ${spec.window}.` }];
}

/** `2026-03-08T03:00:00-04:00` */
export function localText(zone: Zone, at: number): string {
  const utc = Math.floor(at / 1_000);
  const { offset } = zone.segmentAt(utc);
  const size = Math.abs(offset);
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');
  const seconds = size % 60 === 0 ? '' : `:${two(size % 60)}`;
  return `${clockText(zone, at)}${offset < 0 ? '-' : '+'}${two(size / 3_600)}:${two((size / 60) % 60)}${seconds}`;
}

/** Throws `expression.never-fires` when nothing fires after `now`: for creating a schedule, which is then in vain. */
export function requireFuture(compiled: Compiled, now: EpochMs): void {
  if (compiled.next(epochMs(now))) return;
  throw new PunctualError(
    'expression.never-fires',
    `Nothing fires after ${toIso(now)}: every time that the expression names is in the past or is skipped.`,
    { field: 'expression', value: compiled.spec.expression },
  );
}
