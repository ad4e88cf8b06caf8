/** Performs a long computation when it is its turn, for a thread that serves several tenants. */
export type Compute = <T>(work: () => T) => Promise<T>;

export const atOnce: Compute = async (work) => work();
