import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/e2e/**', '**/node_modules/**'],
    // Files that start an engine take a few seconds of start-up on a busy machine.
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
