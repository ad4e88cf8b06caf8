/** How long a test file may take in `npm test`, so that the whole stays short. The run names the files that take longer. */
export const BUDGET_MS = 3000;

/** Files that may take longer, and why. */
export const OVER_BUDGET: Readonly<Record<string, { readonly ms: number; readonly why: string }>> = {};
