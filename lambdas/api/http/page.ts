import type { Page } from '../../core/ports/page.ts';
import { API_LIMITS } from '../request/limits.ts';

/**
 * A page of a list, ended before its answer grows beyond `pageBytes`. What does not fit is not cut off what was read:
 * the page is read again with a smaller limit, so that its cursor is the list's own and goes on behind its last item.
 * A single item is answered whatever its size, which a request body bounds.
 */
export async function pageWithin<Item, View>(
  limit: number,
  read: (limit: number) => Promise<Page<Item>>,
  viewsOf: (items: readonly Item[]) => readonly View[] | Promise<readonly View[]>,
): Promise<{ items: View[]; cursor?: string }> {
  const { items, cursor } = await read(limit);
  const views = await viewsOf(items);
  const fitting = countWithin(API_LIMITS.pageBytes, views.map(jsonBytes));
  if (fitting < views.length) return pageWithin(fitting, read, viewsOf);
  return { items: [...views], ...(cursor !== undefined && { cursor }) };
}

/** How many of these, from the first on, have no more bytes together; at least one. */
export function countWithin(budget: number, sizes: readonly number[]): number {
  let left = budget;
  const tooMuch = sizes.findIndex((size) => {
    left -= size;
    return left < 0;
  });
  return tooMuch === -1 ? sizes.length : Math.max(1, tooMuch);
}

export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
