import { type BundleContents, isIndexed, isShared, type ScopeHistory } from '@baton/engine/ports';
import type { BundledEntry } from '@baton/protocol';
import { databaseFile } from './data-folder.ts';
import type { Database } from './database/database.ts';
import { asDatabase, openNative } from './database/native.ts';
import { atomically, transaction } from './database/transaction.ts';
import { entryWriter } from './memory/entry-writer.ts';
import { openSqliteStore } from './open.ts';

/** Writes what a bundle holds into a new data folder, before a host opens the folder. */
export async function fillFolder(
  folder: string,
  { tenant, slices, workflows, scopes }: BundleContents,
): Promise<void> {
  const store = openSqliteStore(folder);
  try {
    for (const workflow of workflows) await store.putWorkflow(workflow);
    for (const slice of slices) {
      const [result] = await store.commit([slice]);
      if (result !== 'committed')
        throw new Error(`the tree of ${slice.rootId} does not fit to the other runs`);
    }
  } finally {
    await store.close();
  }
  const database = asDatabase(openNative(databaseFile(folder)));
  try {
    const restore = scopeRestorer(database);
    atomically(transaction(database), () => {
      for (const scope of scopes) restore(tenant, scope);
    });
  } finally {
    database.close();
  }
}

/** Writes memory scopes with their history, which the driver never does: it only adds to the newest version. */
function scopeRestorer(database: Database): (tenant: string, history: ScopeHistory) => void {
  const create = database.prepare(
    'INSERT INTO scopes (tenant, name, shared, version, oldest) VALUES (?, ?, ?, ?, 0)',
  );
  const add = database.prepare(ADD);
  const endTags = database.prepare(
    'UPDATE entry_tags SET ended = ? WHERE scope_no = ? AND tag = ? AND version = ? AND entry_no = ?',
  );
  const { addTags, addWords } = entryWriter(database);

  function restore(scopeNo: number, shared: boolean, indexed: boolean, entry: BundledEntry): void {
    const { version, ended = null, tags, by, expiresAt = null } = entry;
    const spentAt = ended === null && !entry.deleted ? expiresAt : entry.createdAt;
    const { lastInsertRowid: entryNo } = add.run(
      scopeNo,
      version,
      ended,
      entry.deleted ? 1 : 0,
      indexed ? 1 : 0,
      entry.revision,
      entry.createdAt,
      expiresAt,
      shared ? spentAt : null,
      entry.id,
      tags.length === 0 ? null : JSON.stringify(tags),
      entry.contentType ?? null,
      by.runId ?? null,
      by.nodeId ?? null,
      by.agentId ?? null,
      entry.content,
    );
    if (entry.deleted) return;
    addTags(scopeNo, version, entryNo, tags);
    if (indexed) addWords(entryNo);
    if (ended !== null) for (const tag of tags) endTags.run(ended, scopeNo, tag, version, entryNo);
  }

  return (tenant, { scope, version, entries }) => {
    const shared = isShared(scope);
    const scopeNo = create.run(tenant, scope, shared ? 1 : 0, version).lastInsertRowid;
    for (const entry of entries) {
      const indexed = !entry.deleted && isIndexed(scope, entry.version, entries.length);
      restore(scopeNo, shared, indexed, entry);
    }
  };
}

const ADD = `
  INSERT INTO entries (scope_no, version, ended, deleted, indexed, revision, created_at, expires_at, spent_at, id,
    tags, content_type, run_id, node_id, agent_id, content)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
