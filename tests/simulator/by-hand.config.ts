import { defineConfig } from 'vitest/config';

/** Vitest runs the simulator by hand too, because it can run TypeScript. */
export default defineConfig({
  test: {
    include: ['tests/simulator/by-hand.ts'],
    pool: 'forks',
    maxWorkers: 1,
    disableConsoleIntercept: true,
  },
});
