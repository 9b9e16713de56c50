export type Item = Record<string, unknown>;
