import { existsSync } from 'node:fs';
import { copyDatabase } from './copy-database.ts';
import { databaseFile } from './data-folder.ts';
import { asDatabase, openNative } from './database/native.ts';
import { schemaVersion } from './schema/migrate.ts';
import { explainingFaults } from './storage-fault.ts';

/** Copies the database of a folder, as it is at one moment, into one file. The host may continue to run. */
export async function backup(folder: string, file: string): Promise<void> {
  const database = databaseFile(folder);
  if (!existsSync(database)) throw new Error(`there is no Baton database in ${folder}`);
  const source = explainingFaults(database, () =>
    openNative(database, { readonly: true, fileMustExist: true }),
  );
  try {
    schemaVersion(asDatabase(source), database);
    await copyDatabase(source, file);
  } finally {
    source.close();
  }
}
