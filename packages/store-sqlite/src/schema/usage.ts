/** An entry also stores its name and its tags. 128 bytes are an estimate for its rows in the indexes. */
const entryBytes = (row: string) =>
  `(octet_length(${row}.content) + octet_length(${row}.id) + coalesce(octet_length(${row}.tags), 0) + 128)`;

const ofRun = (row: 'old' | 'new') => `SELECT tenant FROM runs WHERE run_no = ${row}.run_no`;
const ofRunId = (row: 'old' | 'new') => `SELECT tenant FROM runs WHERE run_id = ${row}.run_id`;
const ofScope = (row: 'old' | 'new') => `SELECT tenant FROM scopes WHERE scope_no = ${row}.scope_no`;

/** A definition is stored once, also if a tenant registers it several times. */
const definitionOwner = `
  SELECT new.tenant AS tenant WHERE NOT EXISTS (
    SELECT 1 FROM workflows
    WHERE tenant = new.tenant AND id = new.id AND digest = new.digest AND version <> new.version)`;

/**
 * Adds `bytes` to the usage of the tenant that `owner` selects, after each row that the statement touches.
 */
function counted(name: string, statement: string, owner: string, bytes: string): string {
  return `CREATE TRIGGER ${name} AFTER ${statement} BEGIN
    INSERT INTO tenant_usage (tenant, bytes) SELECT tenant, ${bytes} FROM (${owner}) WHERE true
    ON CONFLICT (tenant) DO UPDATE SET bytes = bytes + excluded.bytes;
  END;`;
}

/**
 * How many bytes each tenant stores: events, saved states, entries of memory and files with their history,
 * definitions of workflows, late outcomes and stored answers of models. Stored replies are not counted,
 * because they are deleted after a day.
 *
 * Code counts appended events, because a trigger for each event would slow down every commit. Triggers count
 * all other rows and all removals, so that code which removes rows cannot forget to count.
 */
const STORED_BYTES = `
CREATE TABLE tenant_usage (
  tenant TEXT    NOT NULL PRIMARY KEY,
  bytes  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

${counted('events_changed', 'UPDATE OF data ON events', ofRun('new'), 'octet_length(new.data) - octet_length(old.data)')}
${counted('events_removed', 'DELETE ON events', ofRun('old'), '-octet_length(old.data)')}

${counted('checkpoints_added', 'INSERT ON checkpoints', ofRun('new'), 'octet_length(new.state)')}
${counted('checkpoints_changed', 'UPDATE OF state ON checkpoints', ofRun('new'), 'octet_length(new.state) - octet_length(old.state)')}
${counted('checkpoints_removed', 'DELETE ON checkpoints', ofRun('old'), '-octet_length(old.state)')}

${counted('entries_added', 'INSERT ON entries', ofScope('new'), entryBytes('new'))}
${counted('entries_changed', 'UPDATE OF content, tags ON entries', ofScope('new'), `${entryBytes('new')} - ${entryBytes('old')}`)}
${counted('entries_removed', 'DELETE ON entries', ofScope('old'), `-${entryBytes('old')}`)}

${counted('workflows_added', 'INSERT ON workflows', definitionOwner, '(SELECT octet_length(definition) FROM definitions WHERE digest = new.digest)')}

${counted('late_outcomes_added', 'INSERT ON late_outcomes', ofRunId('new'), 'octet_length(new.outcome)')}
${counted('late_outcomes_removed', 'DELETE ON late_outcomes', ofRunId('old'), '-octet_length(old.outcome)')}

${counted('model_answers_added', 'INSERT ON model_answers', 'SELECT new.tenant AS tenant', 'octet_length(new.answer)')}
${counted('model_answers_removed', 'DELETE ON model_answers', 'SELECT old.tenant AS tenant', '-octet_length(old.answer)')}
`;

/**
 * What each tenant and each of its agents used on each day, in UTC. Costs are whole billionths of a US dollar, so that the
 * sum does not depend on the order in which hosts add to it; NULL while no price was known.
 */
const SPENDING = `
CREATE TABLE tenant_spending (
  tenant        TEXT    NOT NULL,
  day           INTEGER NOT NULL,
  input_tokens  INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  tool_calls    INTEGER NOT NULL,
  cost_nano_usd INTEGER,
  PRIMARY KEY (tenant, day)
) STRICT, WITHOUT ROWID;

CREATE TABLE agent_spending (
  tenant        TEXT    NOT NULL,
  day           INTEGER NOT NULL,
  agent_id      TEXT    NOT NULL,
  input_tokens  INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  tool_calls    INTEGER NOT NULL,
  cost_nano_usd INTEGER,
  PRIMARY KEY (tenant, day, agent_id)
) STRICT, WITHOUT ROWID;
`;

export const usageTables = [STORED_BYTES, SPENDING];
