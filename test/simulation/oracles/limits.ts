import { type EpochMs, SECOND } from '../../../lambdas/core/time.ts';

/** How soon a limit that was changed is in force everywhere, as the API promises. */
const IN_FORCE_AFTER = 15 * SECOND;

interface Setting {
  readonly since: EpochMs;
  readonly limit: number | undefined;
  /** Its request was answered: what was in force before is no more. */
  readonly answered: boolean;
}

/** The limits of groups as clients set them: for a while after a change either may be in force. */
export class GroupLimits {
  readonly #settings = new Map<string, Setting[]>();

  /** A request may arrive at any time from now on, so that nothing is settled any more. */
  unsettled = false;

  /** Before the request, since one that is not answered may be carried out; and when it was answered. */
  set(group: string, limit: number | undefined, since: EpochMs, answered: boolean): void {
    this.#settings.set(group, [...(this.#settings.get(group) ?? []), { since, limit, answered }]);
  }

  /** The largest and the smallest that may be in force at that time; undefined: there may be none. */
  at(group: string, now: EpochMs): { readonly most: number | undefined; readonly least: number | undefined } {
    const all = this.#settings.get(group) ?? [];
    const isSettled = ({ since, answered }: Setting) =>
      answered && !this.unsettled && since + IN_FORCE_AFTER <= now;
    const settled = all.findLastIndex(isSettled);
    const possible = settled === -1 ? [undefined, ...all.map(({ limit }) => limit)] : [];
    const limits = settled === -1 ? possible : all.slice(settled).map(({ limit }) => limit);
    const given = limits.filter((limit) => limit !== undefined);
    return {
      most: given.length === limits.length ? Math.max(...given) : undefined,
      least: given.length === 0 ? undefined : Math.min(...given),
    };
  }
}
