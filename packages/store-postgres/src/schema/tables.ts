/**
 * The tables are those of the SQLite store, apart from these differences:
 *
 * - Texts that are compared or sorted have the collation "C", so that every server sorts them by their bytes.
 * - Contents, ids and tags of memory are `bytea`, because a text of Postgres cannot hold U+0000.
 * - `runs.keeper` is the host that looks after a tree: it goes on with an unfinished slice and rings its deadline.
 * - An event has no position of its own. `commits` has one row for each transaction of slices; it tells other hosts
 *   what has moved, the notary which runs are not signed, a webhook which events are new, and a host that has lost the
 *   answer to its COMMIT whether the transaction was done.
 */
export const tables = `
CREATE TABLE host (single boolean PRIMARY KEY DEFAULT true CHECK (single), id text NOT NULL, xid_offset bigint NOT NULL DEFAULT 0);
INSERT INTO host (id) VALUES ('host-' || left(replace(gen_random_uuid()::text, '-', ''), 16));

CREATE TABLE hosts (
  host_no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL,
  url text,
  version text NOT NULL,
  started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  seen_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  draining boolean NOT NULL DEFAULT false,
  facts text
);

-- Each number stands for as many runs (see run-numbers.ts).
CREATE SEQUENCE run_numbers INCREMENT BY 64;

CREATE TABLE runs (
  run_no           bigint PRIMARY KEY,
  run_id           text COLLATE "C" NOT NULL UNIQUE,
  root_no          bigint NOT NULL,
  parent_no        bigint,
  parent_node_id   text,
  tenant           text COLLATE "C" NOT NULL,
  principal        text NOT NULL,
  workflow_id      text COLLATE "C" NOT NULL,
  workflow_version bigint NOT NULL,
  status           text COLLATE "C" NOT NULL,
  tags             text,
  created_at       bigint NOT NULL,
  updated_at       bigint NOT NULL,
  head             bigint NOT NULL,
  wake_at          bigint,
  unfinished       boolean NOT NULL,
  role             text,
  goal_met         boolean,
  base_no          bigint,
  base_seq         bigint,
  source_no        bigint,
  fork             text,
  chain            text,
  purged_at        bigint,
  erased_at        bigint,
  places           bigint,
  listed           text,
  keeper           bigint
) WITH (fillfactor = 80);
CREATE INDEX runs_by_tenant ON runs (tenant, run_no);
CREATE INDEX runs_by_status ON runs (tenant, status, run_no) WHERE status <> 'completed';
CREATE INDEX runs_by_parent ON runs (parent_no, run_no) WHERE parent_no IS NOT NULL;
CREATE INDEX runs_tagged ON runs (tenant, run_no) WHERE tags IS NOT NULL;
CREATE INDEX runs_live ON runs (root_no, run_no) WHERE status NOT IN ('completed', 'failed', 'cancelled');
CREATE INDEX runs_wake ON runs (wake_at, run_no) WHERE wake_at IS NOT NULL;
CREATE INDEX runs_wake_of_keeper ON runs (keeper, wake_at) WHERE wake_at IS NOT NULL;
CREATE INDEX runs_unfinished ON runs (run_no) WHERE unfinished;
CREATE INDEX runs_by_base ON runs (base_no) WHERE base_no IS NOT NULL;
CREATE INDEX runs_by_source ON runs (source_no) WHERE source_no IS NOT NULL;
CREATE INDEX runs_kept ON runs (tenant, created_at) WHERE parent_no IS NULL AND purged_at IS NULL;
CREATE INDEX runs_erased ON runs (root_no) WHERE erased_at IS NOT NULL;

CREATE TABLE events (
  run_no    bigint NOT NULL,
  seq       bigint NOT NULL,
  place     bigint NOT NULL,
  step_rest integer NOT NULL,
  starts    boolean,
  data      text COLLATE "C" NOT NULL,
  PRIMARY KEY (run_no, seq)
);

CREATE TABLE checkpoints (
  run_no       bigint NOT NULL,
  seq          bigint NOT NULL,
  fold_version integer NOT NULL,
  chain        text,
  state        text COLLATE "C" NOT NULL,
  PRIMARY KEY (run_no, seq)
);

-- An effect that was offered has a kind and the time of the offer, and no owner until a host claims it.
CREATE TABLE effects (
  run_no     bigint NOT NULL,
  key        text COLLATE "C" NOT NULL,
  owner      text COLLATE "C" NOT NULL,
  kind       text COLLATE "C",
  offered_at bigint,
  PRIMARY KEY (run_no, key)
);
CREATE INDEX effects_offered ON effects (offered_at) WHERE offered_at IS NOT NULL;

CREATE TABLE commits (
  xid     bigint PRIMARY KEY,
  host_no bigint NOT NULL,
  n       bigint NOT NULL,
  at      timestamptz NOT NULL DEFAULT clock_timestamp(),
  run_nos bigint[] NOT NULL,
  firsts  bigint[] NOT NULL,
  counts  integer[] NOT NULL,
  changed text,
  signed  boolean NOT NULL DEFAULT false,
  UNIQUE (host_no, n)
);
CREATE INDEX commits_unsigned ON commits (xid) WHERE NOT signed;

CREATE TABLE interrupts (
  interrupt_no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant       text COLLATE "C" NOT NULL,
  run_no       bigint NOT NULL,
  interrupt_id text COLLATE "C" NOT NULL,
  node_id      text NOT NULL,
  kind         text NOT NULL,
  title        text NOT NULL,
  requested_at bigint NOT NULL,
  expires_at   bigint,
  UNIQUE (run_no, interrupt_id)
);
CREATE INDEX interrupts_by_tenant ON interrupts (tenant, interrupt_no);

CREATE TABLE late_outcomes (
  key     text COLLATE "C" PRIMARY KEY,
  run_id  text COLLATE "C" NOT NULL,
  outcome text NOT NULL,
  at      bigint NOT NULL
);
CREATE INDEX late_outcomes_by_run ON late_outcomes (run_id);

CREATE TABLE definitions (digest text COLLATE "C" PRIMARY KEY, definition text NOT NULL);

CREATE TABLE workflows (
  tenant     text COLLATE "C" NOT NULL,
  id         text COLLATE "C" NOT NULL,
  version    bigint NOT NULL,
  digest     text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  PRIMARY KEY (tenant, id, version)
);

CREATE TABLE api_keys (
  id         text COLLATE "C" PRIMARY KEY,
  hash       text COLLATE "C" NOT NULL UNIQUE,
  tenant     text NOT NULL,
  principal  text NOT NULL,
  scopes     text NOT NULL,
  roles      text,
  created_at bigint NOT NULL,
  revoked_at bigint,
  key_no     bigint GENERATED ALWAYS AS IDENTITY
);

CREATE TABLE scopes (
  scope_no  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant    text COLLATE "C" NOT NULL,
  name      text COLLATE "C" NOT NULL,
  shared    boolean NOT NULL,
  version   bigint NOT NULL,
  oldest    bigint NOT NULL,
  UNIQUE (tenant, name)
);
CREATE INDEX scopes_shared ON scopes (scope_no) WHERE shared;

-- The words of an entry carry the number of its scope. They are null for entries whose contents a search reads itself.
CREATE TABLE entries (
  entry_no     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  scope_no     bigint NOT NULL,
  version      bigint NOT NULL,
  ended        bigint,
  deleted      boolean NOT NULL,
  revision     bigint NOT NULL,
  created_at   bigint NOT NULL,
  expires_at   bigint,
  spent_at     bigint,
  id           bytea NOT NULL,
  tags         text,
  content_type text,
  run_id       text COLLATE "C",
  node_id      text,
  agent_id     text,
  content      bytea NOT NULL,
  words        tsvector
);
CREATE INDEX entries_by_id ON entries (scope_no, id, version);
CREATE INDEX entries_live ON entries (scope_no, version, entry_no) WHERE ended IS NULL AND NOT deleted;
CREATE INDEX entries_live_by_id ON entries (scope_no, id) WHERE ended IS NULL AND NOT deleted;
CREATE INDEX entries_ended ON entries (scope_no, ended, version) WHERE ended IS NOT NULL AND NOT deleted;
CREATE INDEX entries_spent ON entries (scope_no, spent_at) WHERE spent_at IS NOT NULL;
-- Without a list of pending words: a search would read all of it, and now and then a write would wait for it.
CREATE INDEX entries_words ON entries USING gin (words) WITH (fastupdate = off);
CREATE INDEX entries_looked_through ON entries (scope_no, version, entry_no) WHERE words IS NULL AND NOT deleted;

CREATE TABLE entry_tags (
  scope_no bigint NOT NULL,
  tag      bytea NOT NULL,
  version  bigint NOT NULL,
  entry_no bigint NOT NULL,
  ended    bigint,
  PRIMARY KEY (scope_no, tag, version, entry_no)
);
CREATE INDEX entry_tags_live ON entry_tags (scope_no, tag, version, entry_no) WHERE ended IS NULL;
CREATE INDEX entry_tags_by_entry ON entry_tags (entry_no);

CREATE TABLE audit_checkpoints (
  number    bigint PRIMARY KEY,
  at        bigint NOT NULL,
  digest    text NOT NULL,
  key_id    text NOT NULL,
  signature text NOT NULL,
  runs      text NOT NULL,
  sequence  bigint NOT NULL
);

CREATE TABLE audit_leaves (
  run_no     bigint NOT NULL,
  checkpoint bigint NOT NULL,
  head       bigint NOT NULL,
  link       text NOT NULL,
  PRIMARY KEY (run_no, checkpoint)
);

CREATE TABLE audit_progress (single boolean PRIMARY KEY DEFAULT true CHECK (single), newest bigint NOT NULL DEFAULT 0);

CREATE TABLE erasures (
  run_no    bigint PRIMARY KEY,
  at        bigint NOT NULL,
  by        text NOT NULL,
  reason    text NOT NULL,
  first     bigint NOT NULL,
  links     text NOT NULL,
  remains   text NOT NULL,
  key_id    text NOT NULL,
  signature text NOT NULL
);

CREATE TABLE model_answers (
  tenant    text COLLATE "C" NOT NULL,
  cache_key text COLLATE "C" NOT NULL,
  answer    text NOT NULL,
  at        bigint NOT NULL,
  PRIMARY KEY (tenant, cache_key)
);

CREATE TABLE troubled_trees (
  root_no bigint PRIMARY KEY,
  losses  integer NOT NULL,
  held_at bigint,
  reason  text
);
CREATE INDEX trees_held ON troubled_trees (held_at) WHERE held_at IS NOT NULL;

CREATE TABLE replies (
  tenant    text COLLATE "C" NOT NULL,
  principal text COLLATE "C" NOT NULL,
  key       text COLLATE "C" NOT NULL,
  request   text NOT NULL,
  reply     text NOT NULL,
  at        bigint NOT NULL,
  PRIMARY KEY (tenant, key, principal)
);
CREATE INDEX replies_by_age ON replies (at);

-- The count of a tenant is the sum of its parts, so that hosts do not wait for each other (see counts-and-guards.ts).
CREATE TABLE tenant_usage (
  tenant text COLLATE "C" NOT NULL,
  part   integer NOT NULL,
  bytes  bigint NOT NULL,
  PRIMARY KEY (tenant, part)
) WITH (fillfactor = 50);

CREATE TABLE secrets (
  tenant     text COLLATE "C" NOT NULL,
  name       text COLLATE "C" NOT NULL,
  jwe        text NOT NULL,
  updated_at bigint NOT NULL,
  PRIMARY KEY (tenant, name)
);

CREATE TABLE tenant_spending (
  tenant        text COLLATE "C" NOT NULL,
  day           bigint NOT NULL,
  part          integer NOT NULL,
  input_tokens  bigint NOT NULL,
  output_tokens bigint NOT NULL,
  tool_calls    bigint NOT NULL,
  cost_nano_usd bigint,
  PRIMARY KEY (tenant, day, part)
);

CREATE TABLE agent_spending (
  tenant        text COLLATE "C" NOT NULL,
  day           bigint NOT NULL,
  agent_id      text COLLATE "C" NOT NULL,
  part          integer NOT NULL,
  input_tokens  bigint NOT NULL,
  output_tokens bigint NOT NULL,
  tool_calls    bigint NOT NULL,
  cost_nano_usd bigint,
  PRIMARY KEY (tenant, day, agent_id, part)
);

CREATE TABLE webhooks (
  webhook_no    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  webhook_id    text COLLATE "C" NOT NULL UNIQUE,
  tenant        text COLLATE "C" NOT NULL,
  principal     text NOT NULL,
  url           text NOT NULL,
  events        text NOT NULL,
  workflows     text NOT NULL,
  tags          text NOT NULL,
  state         text NOT NULL,
  reason        text,
  keys          text NOT NULL,
  fingerprint   text NOT NULL,
  created_at    bigint NOT NULL,
  updated_at    bigint NOT NULL,
  failing_since bigint,
  position      bigint NOT NULL
);
CREATE INDEX webhooks_by_tenant ON webhooks (tenant, webhook_id);

CREATE TABLE webhook_deliveries (
  delivery_no   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  webhook_no    bigint NOT NULL,
  run_no        bigint NOT NULL,
  next_seq      bigint NOT NULL,
  last_seq      bigint NOT NULL,
  tries         integer NOT NULL,
  failing_since bigint,
  next_at       bigint,
  error         text,
  letter        integer NOT NULL,
  died_at       bigint,
  claimed_by    bigint,
  claimed_at    timestamptz
);
CREATE UNIQUE INDEX deliveries_of_run ON webhook_deliveries (webhook_no, run_no) WHERE letter = 0;
CREATE INDEX deliveries_due ON webhook_deliveries (webhook_no, next_at, run_no, next_seq) WHERE next_at IS NOT NULL;
CREATE INDEX deliveries_listed ON webhook_deliveries (webhook_no, letter, delivery_no);

CREATE TABLE peers (
  name         text COLLATE "C" PRIMARY KEY,
  url          text NOT NULL,
  kind         text NOT NULL,
  host_id      text UNIQUE,
  audit_key    text,
  secret       text,
  tls          text,
  certificates text,
  tenant       text NOT NULL,
  publishes    text NOT NULL,
  created_at   bigint NOT NULL
);

CREATE TABLE task_pushes (
  tenant        text COLLATE "C" NOT NULL,
  run_id        text COLLATE "C" NOT NULL,
  push_id       text COLLATE "C" NOT NULL,
  url           text NOT NULL,
  credentials   text NOT NULL,
  version       text NOT NULL,
  created_at    bigint NOT NULL,
  told          text,
  tries         integer NOT NULL,
  failing_since bigint,
  next_at       bigint,
  PRIMARY KEY (tenant, run_id, push_id)
);

CREATE TABLE remote_cancels (
  run_id     text COLLATE "C" PRIMARY KEY,
  peer       text NOT NULL,
  task       text NOT NULL,
  named_by   text NOT NULL,
  created_at bigint NOT NULL
);

-- The keys of the host that a data folder holds as files, and the browser sessions that ended before their time.
CREATE TABLE host_keys (name text COLLATE "C" PRIMARY KEY, text text NOT NULL);
CREATE TABLE ended_sessions (id text COLLATE "C" PRIMARY KEY, until bigint NOT NULL);
`;
