/** Does so many at once, in order; answers in the order of the items. */
export async function sideBySide<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  act: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const workers = Array.from({ length: Math.min(atOnce, items.length) }, async () => {
    while (next < items.length) {
      const index = next;
      next += 1;
      results[index] = await act(items[index] as Item);
    }
  });
  await Promise.all(workers);
  return results;
}
