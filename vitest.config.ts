import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['packages/**/src/**/*.test.ts', 'tests/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**'],
    // Processes, not threads: many tests start hosts that own threads and native handles of their own.
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A test that asserts nothing proves nothing.
    expect: { requireAssertions: true },
    reporters: ['default', './tests/requirements-reporter.ts'],
    // Every slice that any test commits is folded again from its stored bytes and compared.
    env: { BATON_ALWAYS_REFOLD: '1' },
  },
});
