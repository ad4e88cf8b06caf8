import { installedTool } from './installed-tool.mjs';

/** Postgres servers for tests, benchmarks and `npm run cluster`. They are large, so `npm start` does not install them. */
export const { from: POSTGRES_FROM, installWhenNeeded: installPostgresWhenNeeded } = installedTool(
  'postgres',
  'Postgres',
);
