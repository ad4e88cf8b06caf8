/** An entry also stores its name and its tags. 128 bytes are an estimate for its rows in the indexes. */
const ENTRY_BYTES = 'octet_length(content) + octet_length(id) + coalesce(octet_length(tags), 0) + 128';

type Operation = 'INSERT' | 'UPDATE' | 'DELETE';

/** The bytes of some rows by tenant. `rows` is the name of a table with the rows. */
type Sums = (rows: string) => string;

/** Owners are looked up one by one: a join would read all of `runs` if it was planned for many rows once. */
function byOwner(key: string, bytes: string, owner: string): Sums {
  return (rows) => `
    SELECT (${owner}) AS tenant, bytes
    FROM (SELECT ${key}, sum(${bytes}) AS bytes FROM ${rows} GROUP BY ${key}) AS grouped`;
}

const ofRuns = (bytes: string) =>
  byOwner('run_no', bytes, 'SELECT tenant FROM runs WHERE runs.run_no = grouped.run_no');
const ofRunIds = (bytes: string) =>
  byOwner('run_id', bytes, 'SELECT tenant FROM runs WHERE runs.run_id = grouped.run_id');
const ofScopes = (bytes: string) =>
  byOwner('scope_no', bytes, 'SELECT tenant FROM scopes WHERE scopes.scope_no = grouped.scope_no');
const ofTenants =
  (bytes: string): Sums =>
  (rows) =>
    `SELECT tenant, ${bytes} AS bytes FROM ${rows}`;

/** A definition is stored once, also if a tenant registers it several times. */
const ofDefinitions: Sums = (rows) => `
    SELECT tenant, (SELECT octet_length(definition) FROM definitions WHERE definitions.digest = added.digest) AS bytes
    FROM ${rows} AS added WHERE NOT EXISTS (
      SELECT 1 FROM workflows AS other
      WHERE other.tenant = added.tenant AND other.id = added.id AND other.digest = added.digest
        AND other.version <> added.version)`;

const LESS = (sums: string) => `SELECT tenant, -bytes AS bytes FROM (${sums}) AS less`;

/** The rows that a statement has touched, and how they change the count. */
function change(operation: Operation, sums: Sums): { readonly tables: string; readonly changes: string } {
  const added = { table: 'NEW TABLE AS rows_after', changes: sums('rows_after') };
  const removed = { table: 'OLD TABLE AS rows_before', changes: LESS(sums('rows_before')) };
  if (operation === 'INSERT') return { tables: added.table, changes: added.changes };
  if (operation === 'DELETE') return { tables: removed.table, changes: removed.changes };
  return {
    tables: `${removed.table} ${added.table}`,
    changes: `${added.changes} UNION ALL ${removed.changes}`,
  };
}

/** Counts the rows of a table after each statement, not after each row. */
function counted(table: string, operation: Operation, sums: Sums): string {
  const name = `count_${table}_${operation.toLowerCase()}`;
  const { tables, changes } = change(operation, sums);
  return `
CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  PERFORM count_bytes(total.tenant, total.bytes) FROM (
    SELECT tenant, sum(bytes)::bigint AS bytes FROM (${changes}) AS change GROUP BY tenant
  ) AS total WHERE total.tenant IS NOT NULL AND total.bytes <> 0;
  RETURN NULL;
END $$;
CREATE TRIGGER ${name} AFTER ${operation} ON ${table} REFERENCING ${tables}
FOR EACH STATEMENT EXECUTE FUNCTION ${name}();
`;
}

/**
 * Adds to the count of a tenant in a part that no other transaction holds. Nobody waits for a part, so that the count
 * neither slows down commits of several hosts nor makes them wait for each other in a circle.
 */
const COUNT_BYTES = `
CREATE FUNCTION count_bytes(owner text, more bigint) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
  UPDATE tenant_usage SET bytes = bytes + more WHERE tenant = owner AND part = (
    SELECT part FROM tenant_usage WHERE tenant = owner LIMIT 1 FOR UPDATE SKIP LOCKED);
  IF FOUND THEN RETURN; END IF;
  INSERT INTO tenant_usage (tenant, part, bytes) VALUES (owner, floor(random() * 2147483647), more)
  ON CONFLICT (tenant, part) DO UPDATE SET bytes = tenant_usage.bytes + excluded.bytes;
END $$;
`;

function refused(table: string, what: string): string {
  return `
CREATE TRIGGER ${table}_not_changed BEFORE UPDATE OR DELETE OR TRUNCATE ON ${table}
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('${what} can neither be changed nor deleted');
`;
}

/** Removes what belongs to the log of a run when the log is removed. Other updates of a run do not call it. */
function removedWithLog(table: string, columns: readonly string[], which: string): string {
  const name = `remove_${table}`;
  const gone = columns.map((column) => `new.${column} IS NOT NULL`).join(' OR ');
  return `
CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  DELETE FROM ${table} WHERE ${which};
  RETURN NULL;
END $$;
CREATE TRIGGER ${name} AFTER UPDATE OF ${columns.join(', ')} ON runs
FOR EACH ROW WHEN (${gone}) EXECUTE FUNCTION ${name}();
`;
}

/**
 * Triggers keep the counts of tenants, and what must not be changed.
 *
 * Code counts appended events, because they are the most. Triggers count all other rows and all removals, so that code
 * which removes rows cannot forget to count.
 */
export const countsAndGuards = [
  COUNT_BYTES,
  counted('events', 'UPDATE', ofRuns('octet_length(data)')),
  counted('events', 'DELETE', ofRuns('octet_length(data)')),
  counted('checkpoints', 'INSERT', ofRuns('octet_length(state)')),
  counted('checkpoints', 'UPDATE', ofRuns('octet_length(state)')),
  counted('checkpoints', 'DELETE', ofRuns('octet_length(state)')),
  counted('entries', 'INSERT', ofScopes(ENTRY_BYTES)),
  counted('entries', 'UPDATE', ofScopes(ENTRY_BYTES)),
  counted('entries', 'DELETE', ofScopes(ENTRY_BYTES)),
  counted('workflows', 'INSERT', ofDefinitions),
  counted('late_outcomes', 'INSERT', ofRunIds('octet_length(outcome)')),
  counted('late_outcomes', 'DELETE', ofRunIds('octet_length(outcome)')),
  counted('model_answers', 'INSERT', ofTenants('octet_length(answer)')),
  counted('model_answers', 'DELETE', ofTenants('octet_length(answer)')),
  `
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  RAISE EXCEPTION '%', TG_ARGV[0];
END $$;`,
  refused('audit_checkpoints', 'a signed checkpoint'),
  refused('audit_leaves', 'a leaf of a signed checkpoint'),
  removedWithLog(
    'task_pushes',
    ['purged_at', 'erased_at'],
    'task_pushes.tenant = new.tenant AND task_pushes.run_id = new.run_id',
  ),
  removedWithLog('remote_cancels', ['purged_at'], 'remote_cancels.run_id = new.run_id'),
].join('');
