import BetterSqlite3 from 'better-sqlite3';
import type { Database, Statement } from './database.ts';

/** How long a statement waits for another connection's lock before it fails, in milliseconds. */
const BUSY_TIMEOUT = 5000;

interface OpenMode {
  readonly readonly?: boolean;
  readonly fileMustExist?: boolean;
  readonly timeout?: number;
}

/** Opens the native driver. If it is missing, the error says how to install it. */
export function openNative(file: string, mode: OpenMode = {}): BetterSqlite3.Database {
  try {
    return new BetterSqlite3(file, { timeout: BUSY_TIMEOUT, ...mode });
  } catch (error) {
    throw isMissingBinding(error) ? missingBinding(error) : error;
  }
}

/** The native driver as a `Database`. Statements are returned unwrapped, because they are on the hot path. */
export function asDatabase(native: BetterSqlite3.Database): Database {
  return {
    get inTransaction() {
      return native.inTransaction;
    },
    exec: (sql) => native.exec(sql),
    prepare: <Row>(sql: string) => native.prepare(sql) as Statement<Row>,
    close: () => native.close(),
  };
}

/** The addon was never built, or was built for another Node.js. */
export function isMissingBinding(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? error.code : undefined;
  return (
    code === 'MODULE_NOT_FOUND' ||
    code === 'ERR_DLOPEN_FAILED' ||
    error.message.startsWith('Could not locate the bindings file')
  );
}

export function missingBinding(cause: unknown): Error {
  return new Error(
    'SQLite could not be loaded: when Baton was installed, no prebuilt SQLite binary was available for this ' +
      'platform and Node.js version, and no C++ compiler was found to build one. Install the build tools ' +
      '(python3, make and g++), then run "npm rebuild better-sqlite3".',
    { cause },
  );
}
