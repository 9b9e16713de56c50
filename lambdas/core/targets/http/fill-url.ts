import { fillText, type PlaceholderValues } from '../placeholders.ts';

/** Scheme and authority of a URL: who is called is no matter of the occurrence. */
const AUTHORITY = /^[a-z]+:\/*[^/?#\\]*/i;

export const authorityOf = (url: string): string => AUTHORITY.exec(url)?.[0] ?? '';

/** A URL with its placeholders filled in, each as one part of a path or query. */
export function fillUrl(url: string, values: PlaceholderValues): string {
  const authority = authorityOf(url);
  return authority + fillText(url.slice(authority.length), values, encodeURIComponent);
}
