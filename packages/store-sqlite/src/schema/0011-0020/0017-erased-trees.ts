/** Finds the trees with an erased run. A tree is erased run by run, so that an interruption leaves some of them. */
export const erasedTrees = `
CREATE INDEX runs_erased ON runs (root_no) WHERE erased_at IS NOT NULL;
`;
