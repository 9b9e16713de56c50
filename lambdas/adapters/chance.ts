import { randomUUID } from 'node:crypto';

/** The one place that draws: 122 random bits, for what nobody may guess. */
export const newSecret = (): string => randomUUID();
