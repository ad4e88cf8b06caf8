/**
 * The content of an entry is never changed in place. A row of `entries` is valid from its `version` of the memory scope
 * up to the version in `ended`. Indexes over live rows leave the history out, so that reading the present stays fast with
 * any amount of history. Tags repeat `ended` for the same reason. `spent_at` is the time from which on no new run can see
 * the row. It is set only in shared memory scopes, because private ones are removed with their runs.
 *
 * The words of entries that are `indexed` are stored together with the number of their memory scope, so that a search
 * never reads another one. A row leaves that index only when it is deleted, and then without a trace. There are many
 * small private memory scopes. Their first entries are not in the index: a search reads their contents.
 */
export const memoryTables = [
  `
CREATE TABLE scopes (
  scope_no  INTEGER PRIMARY KEY,
  tenant    TEXT    NOT NULL,
  name      TEXT    NOT NULL,
  shared    INTEGER NOT NULL,
  version   INTEGER NOT NULL,
  oldest    INTEGER NOT NULL,
  UNIQUE (tenant, name)
) STRICT;

CREATE INDEX scopes_shared ON scopes (scope_no) WHERE shared = 1;

CREATE TABLE entries (
  entry_no     INTEGER PRIMARY KEY,
  scope_no     INTEGER NOT NULL,
  version      INTEGER NOT NULL,
  ended        INTEGER,
  deleted      INTEGER NOT NULL,
  indexed      INTEGER NOT NULL,
  revision     INTEGER NOT NULL,
  created_at   INTEGER NOT NULL,
  expires_at   INTEGER,
  spent_at     INTEGER,
  id           TEXT    NOT NULL,
  tags         TEXT,
  content_type TEXT,
  run_id       TEXT,
  node_id      TEXT,
  agent_id     TEXT,
  content      TEXT    NOT NULL
) STRICT;

CREATE INDEX entries_by_id ON entries (scope_no, id, version);
CREATE INDEX entries_live ON entries (scope_no, version) WHERE ended IS NULL AND deleted = 0;
CREATE INDEX entries_live_by_id ON entries (scope_no, id) WHERE ended IS NULL AND deleted = 0;
CREATE INDEX entries_ended ON entries (scope_no, ended, version) WHERE ended IS NOT NULL AND deleted = 0;
CREATE INDEX entries_spent ON entries (scope_no, spent_at) WHERE spent_at IS NOT NULL;

CREATE TABLE entry_tags (
  scope_no INTEGER NOT NULL,
  tag      TEXT    NOT NULL,
  version  INTEGER NOT NULL,
  entry_no INTEGER NOT NULL,
  ended    INTEGER,
  PRIMARY KEY (scope_no, tag, version, entry_no)
) STRICT, WITHOUT ROWID;

CREATE INDEX entry_tags_live ON entry_tags (scope_no, tag, version, entry_no) WHERE ended IS NULL;

CREATE VIRTUAL TABLE entry_words USING fts5 (
  scope_no, content, content = 'entries', content_rowid = 'entry_no', columnsize = 0
);
INSERT INTO entry_words (entry_words, rank) VALUES ('secure-delete', 1);
`,
];
