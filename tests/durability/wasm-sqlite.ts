import sqlite3InitModule, { type Sqlite3Static } from '@sqlite.org/sqlite-wasm';

/** A C struct as JavaScript sees it; the members of C carry a dollar sign. */
interface Struct {
  readonly pointer: number;
  dispose(): void;
  [member: `$${string}`]: unknown;
}

interface StructType {
  new (pointer?: number): Struct;
  readonly structInfo: { readonly sizeof: number };
}

/** What writing a file layer in JavaScript needs and the published types leave out or have wrong. */
interface FileLayerApi {
  readonly capi: {
    readonly sqlite3_file: StructType;
    readonly sqlite3_io_methods: StructType;
    readonly sqlite3_vfs: StructType;
    sqlite3_vfs_find(name: string | null): number;
    sqlite3_get_autocommit(db: unknown): number;
  };
  readonly config: { warn: () => void };
  readonly vfs: {
    installVfs(layer: {
      readonly io: { readonly struct: Struct; readonly methods: object };
      readonly vfs: { readonly struct: Struct; readonly name: string; readonly methods: object };
    }): void;
  };
}

type Narrowed = Omit<Sqlite3Static, 'capi' | 'vfs' | 'config'> &
  Omit<FileLayerApi, 'capi'> & {
    readonly capi: Omit<Sqlite3Static['capi'], keyof FileLayerApi['capi']> & FileLayerApi['capi'];
  };

/** SQLite compiled to WebAssembly, whose file layer can be written in JavaScript. */
export const sqlite3 = (await sqlite3InitModule()) as unknown as Narrowed;

// Statements are meant to fail here; no need to hear of each.
sqlite3.config.warn = () => {};
