import { buildWhenStale } from './build.mjs';
import { installWhenNeeded } from './install.mjs';

/** Installs missing dependencies and builds changed packages. If nothing changed, it starts no process. */
export function ensureReady() {
  try {
    installWhenNeeded();
    buildWhenStale();
  } catch (error) {
    console.error(`\n${error.message}`);
    process.exit(1);
  }
}
