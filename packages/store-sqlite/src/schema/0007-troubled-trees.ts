/**
 * Trees that were being worked on when the process was lost, and trees that are held because of it. The key is the
 * root's number. Few rows: a tree that makes progress is taken out again.
 */
export const troubledTrees = `
CREATE TABLE troubled_trees (
  root_no INTEGER PRIMARY KEY,
  losses  INTEGER NOT NULL,
  held_at INTEGER,
  reason  TEXT
) STRICT;
CREATE INDEX trees_held ON troubled_trees (held_at) WHERE held_at IS NOT NULL;
`;
