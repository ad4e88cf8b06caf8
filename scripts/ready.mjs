import { buildWhenStale } from './build.mjs';
import { installWhenNeeded } from './install.mjs';

/** Installs what is missing and builds what is stale. When nothing changed, it runs nothing. */
export function ensureReady() {
  try {
    installWhenNeeded();
    buildWhenStale();
  } catch (error) {
    console.error(`\n${error.message}`);
    process.exit(1);
  }
}
