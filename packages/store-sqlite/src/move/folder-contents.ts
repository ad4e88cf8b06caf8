import { existsSync } from 'node:fs';
import { databaseFile } from '../data-folder.ts';
import { asDatabase, openNative } from '../database/native.ts';
import { type EndedSession, endedSessionsIn } from '../ended-sessions.ts';
import { keysIn, type NamedKey } from '../key-files.ts';
import { FolderInUseError, lockDataFolder } from '../lock.ts';
import { requireNewestSchema } from '../schema/migrate.ts';
import { explainingFaults, requireFolder, StorageFault } from '../storage-fault.ts';

/** The columns of a row by their names. */
type Row = Readonly<Record<string, string | number | null>>;

/** Everything that a data folder holds, for a move to another store. Nothing in the folder is changed. */
interface FolderContents {
  readonly hostId: string;
  readonly keys: readonly NamedKey[];
  readonly endedSessions: readonly EndedSession[];
  /** The tables with data, and the names of their columns. */
  readonly tables: ReadonlyMap<string, readonly string[]>;
  count(table: string): number;
  /** One row after the other, in the order in which they were added. */
  rows(table: string): Iterable<Row>;
  /** Events up to this position are signed. */
  readonly signedUpTo: number;
  /** The events that are not signed, or that a webhook has not looked at, in the order of their positions. */
  lateEvents(): Iterable<LateEvent>;
  close(): void;
}

interface LateEvent {
  readonly position: number;
  readonly runNo: number;
  readonly sequence: number;
}

/** Opens the folder of a stopped host, and keeps hosts from starting in it until it is closed. */
export function openFolderContents(folder: string): FolderContents {
  const file = databaseFile(folder);
  requireFolder(folder);
  if (!existsSync(file)) throw new StorageFault(`There is no Baton database in ${folder}.`);
  const lock = lockStopped(folder);
  try {
    return explainingFaults(file, () => contentsOf(folder, file, lock.release));
  } catch (error) {
    lock.release();
    throw error;
  }
}

function lockStopped(folder: string): ReturnType<typeof lockDataFolder> {
  try {
    return lockDataFolder(folder);
  } catch (error) {
    if (!(error instanceof FolderInUseError)) throw error;
    throw new StorageFault(
      `A host is using the data folder ${folder}. Stop it first: only the data of a stopped host can be moved.`,
      error,
    );
  }
}

function contentsOf(folder: string, file: string, release: () => void): FolderContents {
  const native = openNative(file, { readonly: true, fileMustExist: true });
  try {
    requireNewestSchema(asDatabase(native), file);
    const numberIn = (sql: string): number => native.prepare<[], number>(sql).pluck().get() ?? 0;
    const signedUpTo = numberIn('SELECT pos FROM audit_progress');
    const lookedUpTo = numberIn(`SELECT min(position) FROM webhooks`);
    const hasWebhooks = numberIn('SELECT count(*) FROM webhooks') > 0;
    const done = hasWebhooks ? Math.min(signedUpTo, lookedUpTo) : signedUpTo;
    const names = native.prepare<[], string>(TABLES).pluck().all();
    const columnsOf = native.prepare<[string], string>('SELECT name FROM pragma_table_info(?)').pluck();
    return {
      hostId: native.prepare<[], string>('SELECT id FROM host').pluck().get() ?? '',
      keys: keysIn(folder),
      endedSessions: endedSessionsIn(folder),
      tables: new Map(names.map((name) => [name, [...columnsOf.all(name), ...(ADDED[name] ?? [])]])),
      count: (table) => numberIn(`SELECT count(*) FROM ${table} ${WHERE[table] ?? ''}`),
      rows: (table) => native.prepare<[], Row>(selecting(table)).iterate(),
      signedUpTo,
      lateEvents: () => native.prepare<[number], LateEvent>(LATE).iterate(done),
      close() {
        native.close();
        release();
      },
    };
  } catch (error) {
    native.close();
    throw error;
  }
}

/** Without the tables of SQLite itself, of its index of words, and those with one value that is read on its own. */
const TABLES = `
  SELECT name FROM sqlite_schema
  WHERE type = 'table' AND name NOT LIKE 'sqlite@_%' ESCAPE '@' AND name NOT LIKE 'entry@_words%' ESCAPE '@'
    AND name <> 'host'
  ORDER BY name`;

/** The order of keys is that of their rows, which have no column for it. */
const ADDED: Readonly<Record<string, readonly string[]>> = { api_keys: ['key_no'] };

/** An event of no run only keeps a position in use. */
const WHERE: Readonly<Record<string, string>> = { events: 'WHERE run_no <> 0' };

function selecting(table: string): string {
  if (table === 'api_keys') return 'SELECT *, rowid AS key_no FROM api_keys ORDER BY rowid';
  if (table === 'events') return `SELECT * FROM events ${WHERE.events} ORDER BY pos`;
  return `SELECT * FROM ${table}`;
}

const LATE = `
  SELECT pos AS position, run_no AS runNo, seq AS sequence FROM events WHERE pos > ? AND run_no <> 0 ORDER BY pos`;
