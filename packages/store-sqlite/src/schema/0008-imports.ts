/**
 * Trees from elsewhere. `imported` says where a run comes from, and who vouches for it. While a tree arrives, in
 * several transactions, its rows are marked as `arriving` and belong to a tenant that nobody is. What it brought of
 * memory names the number of its root, and goes when that goes.
 */
export const imports = `
ALTER TABLE runs ADD COLUMN imported TEXT;
ALTER TABLE runs ADD COLUMN arriving INTEGER;
CREATE INDEX runs_arriving ON runs (tenant, run_no) WHERE arriving = 1;
ALTER TABLE scopes ADD COLUMN import_no INTEGER;
CREATE INDEX scopes_imported ON scopes (import_no) WHERE import_no IS NOT NULL;
`;
