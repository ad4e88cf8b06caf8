import { defineConfig } from 'vitest/config';

const ALL = ['packages/**/src/**/*.test.ts', 'apps/**/src/**/*.test.ts', 'tests/**/*.test.ts'];
const NOT_OURS = ['**/node_modules/**', '**/dist/**'];
const ALONE = [
  // It compares hidden classes of objects, which depend on everything that was done in the process before.
  'packages/engine/src/kernel/fold/grow.test.ts',
  // They count simulated timers. In a shared process, those of other files are counted, too.
  'packages/client/src/http/request.test.ts',
  'packages/client/src/events/frames.test.ts',
];

export default defineConfig({
  test: {
    // Processes, not threads: many tests start hosts that own threads and native handles of their own.
    pool: 'forks',
    // Many tests wait for processes that they have started, so a third worker finds time on two processors.
    maxWorkers: 3,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A test that asserts nothing proves nothing.
    expect: { requireAssertions: true },
    reporters: ['default', './tests/requirements-reporter.ts'],
    projects: [
      // Files share a process, so that each process loads the packages once. Most of the files
      // load the same ones.
      {
        extends: true,
        test: { name: 'together', include: ALL, exclude: [...NOT_OURS, ...ALONE], isolate: false },
      },
      { extends: true, test: { name: 'alone', include: ALONE, exclude: NOT_OURS } },
    ],
    // Every slice that any test commits is folded again from its stored bytes and compared.
    env: { BATON_ALWAYS_REFOLD: '1' },
  },
});
