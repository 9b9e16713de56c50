import { fillText, type PlaceholderValues } from './placeholders.ts';
import type { HttpTarget } from './schedule.ts';

/** Scheme and authority of a URL: who is called is no matter of the occurrence. */
const AUTHORITY = /^[a-z]+:\/*[^/?#\\]*/i;

export const authorityOf = (url: string): string => AUTHORITY.exec(url)?.[0] ?? '';

/** A URL with its placeholders filled in, each as one part of a path or query. */
export function fillUrl(url: string, values: PlaceholderValues): string {
  const authority = authorityOf(url);
  return authority + fillText(url.slice(authority.length), values, encodeURIComponent);
}

/** An http target as one occurrence calls it. */
export function fillTarget(target: HttpTarget, values: PlaceholderValues): HttpTarget {
  const headers = Object.entries(target.headers).map(([name, value]) => [
    name,
    typeof value === 'string' ? fillText(value, values) : value,
  ]);
  return { ...target, url: fillUrl(target.url, values), headers: Object.fromEntries(headers) };
}
