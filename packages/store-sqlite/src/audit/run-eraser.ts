import type { AuditStore } from '@baton/engine/ports';
import type { Database } from '../database/database.ts';
import { atomically, transaction } from '../database/transaction.ts';
import { isShared } from '../memory/scopes.ts';
import { type RunColumns, selectRuns, toRunRow } from '../queries/run-row.ts';

/** Takes what a run held out of the file, and leaves what proves that it was there. */
export function runEraser(
  database: Database,
): Pick<AuditStore, 'treeOf' | 'forksOf' | 'eraseRun' | 'wipeTraces'> {
  const own = transaction(database);
  const members = database.prepare<RunColumns>(MEMBERS);
  const forks = database.prepare<{ runId: string }>(FORKS);
  const find = database.prepare<{ runNo: number; tenant: string }>(
    'SELECT run_no AS runNo, tenant FROM runs WHERE run_id = ?',
  );
  const replace = database.prepare('UPDATE events SET data = ? WHERE run_no = ? AND seq = ?');
  const states = database.prepare('DELETE FROM checkpoints WHERE run_no = ?');
  const outcomes = database.prepare('DELETE FROM late_outcomes WHERE run_id = ?');
  const mark = database.prepare('UPDATE runs SET erased_at = ?, tags = NULL WHERE run_no = ?');
  const record = database.prepare(RECORD);
  const eraseMemory = memoryEraser(database);

  return {
    // The write-ahead log still has the pages as they were.
    wipeTraces: async () => void database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get(),
    treeOf: async (rootId) => members.all(rootId).map(toRunRow),
    async forksOf(rootId) {
      return [...new Set(forks.all(rootId).map((fork) => fork.runId))];
    },
    async eraseRun(erasure, texts) {
      const run = find.get(erasure.runId);
      if (run === undefined) throw new Error(`there is no run ${erasure.runId}`);
      // What is overwritten must be gone from the file too, not only out of reach.
      database.exec('PRAGMA secure_delete = ON');
      try {
        atomically(own, () => {
          for (const [index, text] of texts.entries()) replace.run(text, run.runNo, erasure.from + index);
          states.run(run.runNo);
          outcomes.run(erasure.runId);
          eraseMemory(run.tenant, erasure.runId);
          const { at, by, reason, from, links, remains, keyId, signature } = erasure;
          record.run(run.runNo, at, by, reason, from, links.join(' '), remains, keyId, signature);
          mark.run(at, run.runNo);
        });
      } finally {
        database.exec('PRAGMA secure_delete = OFF');
      }
    },
  };
}

interface WrittenEntry {
  readonly entryNo: number;
}

/** Empties every entry that a run has written, wherever it was carried to. */
function memoryEraser(database: Database): (tenant: string, runId: string) => void {
  const scopes = database.prepare<{ scopeNo: number; name: string }>(
    'SELECT scope_no AS scopeNo, name FROM scopes WHERE tenant = ?',
  );
  const written = database.prepare<WrittenEntry>(
    `SELECT entry_no AS entryNo FROM entries INDEXED BY entries_by_id
     WHERE scope_no = ? AND run_id = ? AND deleted = 0`,
  );
  const forgetWords = database.prepare(
    `INSERT INTO entry_words (entry_words, rowid, scope_no, content)
     SELECT 'delete', entry_no, scope_no, content FROM entries WHERE entry_no = ?`,
  );
  const forgetTags = database.prepare(
    `DELETE FROM entry_tags WHERE (scope_no, tag, version, entry_no) IN (
       SELECT entries.scope_no, label.value, entries.version, entries.entry_no
       FROM entries CROSS JOIN json_each(entries.tags) AS label WHERE entries.entry_no = ?)`,
  );
  const empty = database.prepare("UPDATE entries SET content = '', tags = NULL WHERE entry_no = ?");
  const indexAgain = database.prepare(
    `INSERT INTO entry_words (rowid, scope_no, content)
     SELECT entry_no, scope_no, content FROM entries WHERE entry_no = ?`,
  );
  return (tenant, runId) => {
    const root = runId.split('.', 1)[0] ?? runId;
    // A run's entries are in its own scope, in those above it, and in what it shares with other trees.
    const reached = scopes
      .all(tenant)
      .filter(({ name }) => isShared(name) || name === `run:${root}` || name.startsWith(`run:${root}.`));
    for (const { scopeNo } of reached) {
      for (const { entryNo } of written.all(scopeNo, runId)) {
        forgetWords.run(entryNo);
        forgetTags.run(entryNo);
        empty.run(entryNo);
        indexAgain.run(entryNo);
      }
    }
  };
}

const TREE = `
  WITH RECURSIVE tree (run_no) AS (
    SELECT run_no FROM runs WHERE run_id = ? UNION ALL
    SELECT child.run_no FROM tree CROSS JOIN runs AS child INDEXED BY runs_by_parent
    WHERE child.parent_no = tree.run_no)`;

const MEMBERS = `${TREE}
  ${selectRuns('', '').replace('FROM runs AS run', 'FROM tree CROSS JOIN runs AS run ON run.run_no = tree.run_no')}`;

/** Those that were erased or purged themselves need nothing any more. */
const FORKS = `${TREE}
  SELECT fork.run_id AS runId FROM tree CROSS JOIN runs AS fork INDEXED BY runs_by_base
  WHERE fork.base_no = tree.run_no AND fork.purged_at IS NULL AND fork.erased_at IS NULL
  UNION ALL
  SELECT fork.run_id AS runId FROM tree CROSS JOIN runs AS fork INDEXED BY runs_by_source
  WHERE fork.source_no = tree.run_no AND fork.status NOT IN ('completed', 'failed', 'cancelled')`;

const RECORD = `
  INSERT INTO erasures (run_no, at, by, reason, first, links, remains, key_id, signature)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;
