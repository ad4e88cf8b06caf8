/** Lets waiting commits and reads run before the next batch. */
export function turnOfOthers(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
