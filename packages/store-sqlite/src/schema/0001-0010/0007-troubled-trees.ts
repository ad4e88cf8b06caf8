/**
 * Trees that the engine was computing when the process ended unexpectedly, and held trees. The key is the
 * number of the root. There are few rows, because a tree that makes progress is removed.
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
