/** The most that one entry of memory may hold. */
export const MAX_MEMORY_BYTES = 256 * 1024;
