import * as z from 'zod';

/** What the tick sends itself when there are more shards than one invocation scans. */
const fanOut = z.object({ shards: z.array(z.int().nonnegative()).min(1) });

/** The shards that an event asks for; undefined for the clock's event, which asks for all. */
export function requestedShards(event: unknown): readonly number[] | undefined {
  const parsed = fanOut.safeParse(event);
  return parsed.success ? parsed.data.shards : undefined;
}

/** 0 to `count - 1` in lists of `size`. */
export function shardLists(count: number, size: number): number[][] {
  const all = Array.from({ length: count }, (_, shard) => shard);
  return Array.from({ length: Math.ceil(count / size) }, (_, list) =>
    all.slice(list * size, (list + 1) * size),
  );
}
