import { buildWhenStale } from './build.mjs';
import { installWhenNeeded } from './install.mjs';

/** Installs missing dependencies and builds changed packages. If nothing changed, it starts no process. */
export async function ensureReady() {
  try {
    await installWhenNeeded();
    await buildWhenStale();
  } catch (error) {
    console.error(`\n${error.message}`);
    process.exit(1);
  }
}
