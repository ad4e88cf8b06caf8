import Database from 'better-sqlite3';

/** The rows of whole trees as a host wrote them, and the schema of the tables. */

/** Reads the newest root runs of a database with their descendants, oldest first. */
export function captureRows(file, roots) {
  const database = new Database(file, { readonly: true });
  try {
    const schema = database
      .prepare("SELECT sql FROM sqlite_schema WHERE tbl_name IN ('runs', 'events') AND sql IS NOT NULL")
      .pluck()
      .all();
    const first = database
      .prepare(
        `SELECT min(run_no) FROM
           (SELECT run_no FROM runs WHERE parent_no IS NULL ORDER BY run_no DESC LIMIT ?)`,
      )
      .pluck()
      .get(roots);
    const runs = database.prepare('SELECT * FROM runs WHERE root_no >= ? ORDER BY run_no').raw();
    const events = database
      .prepare('SELECT run_no, seq, data, starts FROM events WHERE run_no >= ? ORDER BY pos')
      .raw();
    return {
      schema,
      pageSize: database.pragma('page_size', { simple: true }),
      runs: runs.all(first),
      rootColumn: runs.columns().findIndex(({ name }) => name === 'root_no'),
      events: events.all(first),
    };
  } finally {
    database.close();
  }
}

/** Splits the rows into groups of `treesPerGroup` trees. Each group becomes one transaction. */
export function groupByTrees({ runs, rootColumn, events }, treesPerGroup) {
  const groupOf = new Map();
  const trees = new Map();
  const groups = [];
  for (const run of runs) {
    const root = run[rootColumn];
    if (!trees.has(root)) trees.set(root, trees.size);
    const index = Math.floor(trees.get(root) / treesPerGroup);
    groups[index] ??= { runs: [], events: [] };
    groups[index].runs.push(run);
    groupOf.set(run[0], groups[index]);
  }
  for (const event of events) groupOf.get(event[0])?.events.push(event);
  return groups;
}
