import { defineConfig } from 'vitest/config';

const infra = ['test/infra/**/*.test.ts'];

export default defineConfig({
  test: {
    exclude: ['test/e2e/**', '**/node_modules/**'],
    // Files that start an engine take a few seconds of start-up on a busy machine.
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Engines and receivers are processes of their own and much of the time is spent waiting for them: by default
    // vitest would leave one core to itself.
    maxWorkers: '100%',
    projects: [
      // The CDK takes seconds to load, and synthesising leaves nothing behind: one process for all of its files.
      { extends: true, test: { name: 'infra', include: infra, isolate: false } },
      {
        extends: true,
        test: { name: 'code', include: ['test/**/*.test.ts'], exclude: [...infra, 'test/e2e/**'] },
      },
    ],
  },
});
