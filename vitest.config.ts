import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';
import { PATIENCE_MS } from './tests/eventually.ts';
import FileOrder from './tests/file-order.ts';

const NOT_OURS = ['**/node_modules/**', '**/dist/**'];
/** `npm run proof` also runs what takes too long for `npm test`, or needs a quiet machine. */
const KINDS = process.env.BATON_PROOF === '1' ? '{test,proof}' : 'test';
const of = (folder: string) => `${folder}/**/*.${KINDS}.ts`;

export default defineConfig({
  // What the kits add to the engine is added to its sources, beside which the kits run them.
  resolve: {
    alias: {
      '@baton/engine/extension': fileURLToPath(
        new URL('./packages/engine/src/extension.ts', import.meta.url),
      ),
    },
  },
  test: {
    // Processes, not threads: many tests start hosts that own threads and native handles of their own.
    pool: 'forks',
    // Many tests wait for processes that they have started, so a third worker finds time on two processors.
    maxWorkers: Number(process.env.BATON_TEST_WORKERS ?? 3),
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A test that asserts nothing proves nothing.
    expect: { requireAssertions: true, poll: { timeout: PATIENCE_MS, interval: 20 } },
    reporters: [process.env.CI ? 'default' : 'dot', './tests/record-reporter.ts'],
    slowTestThreshold: configDefaults.slowTestThreshold * 10,
    // Files share a process, so that each process loads the packages once. Most of the files load the same ones.
    isolate: false,
    sequence: { sequencer: FileOrder },
    setupFiles: ['./tests/fixed-seed.ts'],
    exclude: NOT_OURS,
    // Compiled packages are loaded as they are. Vite would transform their 1,600 files again in each process.
    server: { deps: { external: [/\/packages\/[^/]+\/dist\//] } },
    projects: [
      // The tests of one unit may replace the clock of their process, which a host would not survive.
      { extends: true, test: { name: 'units', include: ['packages/**/src', 'apps/**/src'].map(of) } },
      { extends: true, test: { name: 'together', include: [of('tests')] } },
    ],
    // Every slice that any test commits is folded again from its stored bytes and compared.
    env: { BATON_ALWAYS_REFOLD: '1' },
  },
});
