/**
 * Tries again until the assertions hold, and returns what the last try has returned. The limit is that of `expect.poll`
 * in vitest.config.ts: it is there to show what was wrong before the test runs into its time-out, and is so long that
 * a busy machine does not decide whether a test passes.
 */
export async function eventually<T>(holds: () => T | Promise<T>): Promise<T> {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await holds();
    } catch (error) {
      if (Date.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

export const PATIENCE_MS = 50_000;
