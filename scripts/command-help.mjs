import { tell } from './usage.mjs';

/** Returns if `baton` was built and can print its own help. Otherwise prints the usage, because help builds nothing. */
export async function commandOrUsage(usage) {
  try {
    const { load } = await import('../packages/cli/bin/entry.mjs');
    await load();
  } catch {
    tell(usage);
  }
}
