/**
 * Imported trees. `imported` holds the origin of a run and the key that signed its bundle. An import takes
 * several transactions. Until the last one, the rows are marked as `arriving` and belong to a temporary
 * tenant that no key has. `import_no` of a memory scope is the root that it came with; it is removed together
 * with the root.
 */
export const imports = `
ALTER TABLE runs ADD COLUMN imported TEXT;
ALTER TABLE runs ADD COLUMN arriving INTEGER;
CREATE INDEX runs_arriving ON runs (tenant, run_no) WHERE arriving = 1;
ALTER TABLE scopes ADD COLUMN import_no INTEGER;
CREATE INDEX scopes_imported ON scopes (import_no) WHERE import_no IS NOT NULL;
`;
