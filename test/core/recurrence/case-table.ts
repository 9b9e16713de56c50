import { readFileSync } from 'node:fs';
import { compile, type DstPolicy, preview } from '../../../lambdas/core/recurrence/index.ts';
import { epochMs } from '../../../lambdas/core/time.ts';

/** A reported case; the shape of cases.json. */
export interface Case {
  readonly id: string;
  readonly expr: string | null;
  /** A JavaScript expression that builds the text, for texts too long to store. */
  readonly exprGen?: string;
  readonly dialect: 'extended' | 'eventbridge' | 'quartz' | 'rrule' | 'iso8601' | 'robfig';
  readonly tz: string | null;
  readonly from: string | null;
  readonly n?: number;
  readonly expect: readonly string[];
  readonly expectReject?: boolean;
  readonly expectStableWithSeed?: boolean;
  readonly direction?: 'prev';
  readonly endDate?: string;
  readonly hostTZ?: string;
  readonly alternatives?: Readonly<Record<string, readonly string[]>>;
}

export const CASES = JSON.parse(
  readFileSync(new URL('./cases.json', import.meta.url), 'utf8'),
) as readonly Case[];

/** The policies of the cases that Punctual offers; the others belong to other schedulers. */
export const POLICIES: Readonly<Record<string, Partial<DstPolicy>>> = {
  shift: { gap: 'shift' },
  skipOnce: { gap: 'skip', overlap: 'first' },
  skipBoth: { gap: 'skip', overlap: 'both' },
};

/** The text as Punctual takes it: dialects that may stand bare in a case are wrapped. */
export function textOf(one: Case): string {
  const text = one.expr ?? String(new Function(`return ${one.exprGen}`)());
  if (one.dialect === 'quartz') return `quartz(${text})`;
  return one.dialect === 'eventbridge' && !/^(cron|rate|at)\(/.test(text) ? `cron(${text})` : text;
}

/** What Punctual answers: instants without milliseconds. Every answer is asked for afresh. */
export function answer(one: Case, dst: Partial<DstPolicy> = {}): string[] {
  const from = one.from === null ? Date.UTC(1900, 0, 1) : Date.parse(one.from);
  const spec = {
    expression: textOf(one),
    // A missing zone reaches the compiler as it would from JSON.
    timezone: one.tz as string,
    dst,
    ...(one.endDate !== undefined && { endAt: one.endDate }),
  };
  const fires: string[] = [];
  let last = epochMs(from);
  for (let count = one.n ?? one.expect.length; count > 0; count -= 1) {
    const compiled = compile(spec, { seed: 'group/name', anchor: epochMs(from) });
    const [fire] = preview(compiled, {
      from: last,
      count: 1,
      now: last,
      seed: 'group/name',
      previous: one.direction === 'prev',
    }).items;
    if (!fire) break;
    fires.push(fire.scheduledTime.replace('.000Z', 'Z'));
    last = epochMs(Date.parse(fire.scheduledTime));
  }
  // A case that expects nothing may still be refused.
  if (fires.length === 0) compile(spec, { seed: 'group/name', anchor: epochMs(from) });
  return fires;
}
