/** The largest content of one entry of memory. */
export const MAX_MEMORY_BYTES = 256 * 1024;
