import type { Database } from './database.ts';

/**
 * Settings of the writing connection. A commit returns after the data is on the disk: FULL syncs the
 * write-ahead log in every transaction, and fullfsync makes macOS flush the cache of the disk too. SQLite
 * moves the log into the database every 4 MB, so that no commit waits long for it. Pages of 8 KB hold about
 * twenty events and were the fastest in measurements; the page size is fixed when the file is created.
 *
 * A row that grows moves its neighbours to other pages. With secure_delete SQLite overwrites what they leave behind, so
 * that an erasure, which overwrites the rows where they are now, leaves nothing of them in the file.
 */
export function configureWriter(database: Database): void {
  database.exec('PRAGMA page_size = 8192');
  const mode = database.prepare<{ journal_mode: string }>('PRAGMA journal_mode = WAL').get();
  if (mode?.journal_mode !== 'wal') {
    throw new Error(
      'the data folder is on a file system that cannot hold a write-ahead log; use a local disk',
    );
  }
  database.exec('PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA foreign_keys = OFF');
  database.exec('PRAGMA wal_autocheckpoint = 500; PRAGMA secure_delete = ON');
}
