import { installedTool } from './installed-tool.mjs';

/** A Restate server for tests, benchmarks and `npm run cluster -- --restate`. Nothing else installs it. */
export const { from: RESTATE_FROM, installWhenNeeded: installRestateWhenNeeded } = installedTool(
  'restate',
  'Restate',
);
