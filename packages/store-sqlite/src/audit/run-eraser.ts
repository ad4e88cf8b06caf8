import { type AuditStore, privateScope, shortener } from '@baton/engine/ports';
import type { Database } from '../database/database.ts';
import { atomically, transaction } from '../database/transaction.ts';
import { labelRemover } from '../memory/entry-remover.ts';
import { ADD_WORDS } from '../memory/entry-writer.ts';
import { scopeFinder } from '../memory/scopes.ts';
import { type RunColumns, selectRuns, toRunRow } from '../queries/run-row.ts';

/** Removes the contents of a run from the file, and keeps the rows that prove that the run existed. */
export function runEraser(
  database: Database,
): Pick<AuditStore, 'treeOf' | 'forksOf' | 'hasErasedRun' | 'eraseRun' | 'eraseShared' | 'wipeTraces'> {
  const own = transaction(database);
  const members = database.prepare<RunColumns>(MEMBERS);
  const forks = database.prepare<{ runId: string }>(FORKS);
  const erased = database.prepare<{ found: 1 }>(ERASED);
  const find = database.prepare<{ runNo: number; tenant: string; erasedAt: number | null; rootId: string }>(
    FIND,
  );
  const replace = database.prepare('UPDATE events SET data = ? WHERE run_no = ? AND seq = ?');
  const states = database.prepare('DELETE FROM checkpoints WHERE run_no = ?');
  const outcomes = database.prepare('DELETE FROM late_outcomes WHERE run_id = ?');
  const mark = database.prepare(
    "UPDATE runs SET erased_at = ?, tags = NULL, listed = json_remove(listed, '$.error') WHERE run_no = ?",
  );
  const record = database.prepare(RECORD);
  // A stored answer does not name its run, so all answers of the tenant are removed. Models can be asked
  // again.
  const answers = database.prepare('DELETE FROM model_answers WHERE tenant = ?');
  const memory = memoryEraser(database);

  return {
    // The write-ahead log still holds the old pages.
    wipeTraces: async () => void database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get(),
    treeOf: async (rootId) => members.all(rootId).map(toRunRow),
    async forksOf(rootId) {
      return [...new Set(forks.all(rootId).map((fork) => fork.runId))];
    },
    hasErasedRun: async (rootId) => erased.get(rootId) !== undefined,
    async eraseRun(erasure, texts) {
      const run = find.get(erasure.runId);
      if (run === undefined) throw new Error(`there is no run ${erasure.runId}`);
      if (run.erasedAt !== null) return true;
      if (erased.get(run.rootId) === undefined && forks.get(run.rootId) !== undefined) return false;
      atomically(own, () => {
        const shorten = shortener(erasure.runId);
        for (const [index, text] of texts.entries()) {
          const sequence = erasure.from + index;
          replace.run(shorten(text, sequence), run.runNo, sequence);
        }
        states.run(run.runNo);
        outcomes.run(erasure.runId);
        memory.ownScope(run.tenant, erasure.runId);
        const { at, by, reason, from, links, remains, keyId, signature } = erasure;
        record.run(run.runNo, at, by, reason, from, links.join(' '), remains, keyId, signature);
        mark.run(at, run.runNo);
      });
      return true;
    },
    async eraseShared(tenant, rootId) {
      atomically(own, () => {
        memory.sharedScopes(tenant, rootId);
        answers.run(tenant);
      });
    },
  };
}

interface MemoryEraser {
  /** Erases the memory scope that only this run and its children write to. */
  ownScope(tenant: string, runId: string): void;
  /** Erases the entries that a tree has written to shared memory scopes. */
  sharedScopes(tenant: string, rootId: string): void;
}

function memoryEraser(database: Database): MemoryEraser {
  const find = scopeFinder(database);
  const shared = database.prepare<{ scopeNo: number }>(SHARED);
  const all = database.prepare<{ entryNo: number }>(
    'SELECT entry_no AS entryNo FROM entries INDEXED BY entries_by_id WHERE scope_no = ? AND deleted = 0',
  );
  const byTree = database.prepare<{ entryNo: number }>(
    `SELECT entry_no AS entryNo FROM entries INDEXED BY entries_by_id
     WHERE scope_no = ? AND deleted = 0 AND (run_id = ? OR run_id LIKE ? || '.%')`,
  );
  const removeLabels = labelRemover(database);
  const empty = database.prepare("UPDATE entries SET content = '', tags = NULL WHERE entry_no = ?");
  const indexAgain = database.prepare(`${ADD_WORDS} AND indexed = 1`);

  function eraseEntries(found: readonly { readonly entryNo: number }[]): void {
    for (const { entryNo } of found) {
      removeLabels(entryNo);
      empty.run(entryNo);
      indexAgain.run(entryNo);
    }
  }
  return {
    ownScope(tenant, runId) {
      const scope = find(tenant, privateScope(runId));
      if (scope !== undefined) eraseEntries(all.all(scope.scopeNo));
    },
    sharedScopes(tenant, rootId) {
      for (const { scopeNo } of shared.all(tenant, tenant)) eraseEntries(byTree.all(scopeNo, rootId, rootId));
    },
  };
}

/** All memory scopes except the private ones, whose names begin with `run:`. */
const SHARED = `
  SELECT scope_no AS scopeNo FROM scopes WHERE tenant = ? AND name < 'run:'
  UNION ALL
  SELECT scope_no AS scopeNo FROM scopes WHERE tenant = ? AND name >= 'run;'`;

const TREE = `
  WITH RECURSIVE tree (run_no) AS (
    SELECT run_no FROM runs WHERE run_id = ? UNION ALL
    SELECT child.run_no FROM tree CROSS JOIN runs AS child INDEXED BY runs_by_parent
    WHERE child.parent_no = tree.run_no)`;

const MEMBERS = `${TREE}
  ${selectRuns('', '').replace('FROM runs AS run', 'FROM tree CROSS JOIN runs AS run ON run.run_no = tree.run_no')}`;

/** Forks that were themselves erased or purged do not need their source any more. */
const FORKS = `${TREE}
  SELECT root.run_id AS runId FROM tree CROSS JOIN runs AS fork INDEXED BY runs_by_base
  CROSS JOIN runs AS root ON root.run_no = fork.root_no
  WHERE fork.base_no = tree.run_no AND fork.purged_at IS NULL AND fork.erased_at IS NULL
  UNION ALL
  SELECT root.run_id AS runId FROM tree CROSS JOIN runs AS fork INDEXED BY runs_by_source
  CROSS JOIN runs AS root ON root.run_no = fork.root_no
  WHERE fork.source_no = tree.run_no AND fork.purged_at IS NULL AND fork.erased_at IS NULL`;

const FIND = `
  SELECT run.run_no AS runNo, run.tenant, run.erased_at AS erasedAt, root.run_id AS rootId
  FROM runs AS run JOIN runs AS root ON root.run_no = run.root_no WHERE run.run_id = ?`;

const ERASED = `
  SELECT 1 AS found FROM runs AS erased INDEXED BY runs_erased
  WHERE erased.root_no = (SELECT run_no FROM runs WHERE run_id = ?) AND erased.erased_at IS NOT NULL LIMIT 1`;

const RECORD = `
  INSERT INTO erasures (run_no, at, by, reason, first, links, remains, key_id, signature)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;
