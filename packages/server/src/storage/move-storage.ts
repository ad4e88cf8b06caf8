import { openFolderContents } from '@baton/store-sqlite';
import { type StorageLocation, storageAt } from './open-storage.ts';

/** How many rows each table got. */
type MovedRows = Readonly<Record<string, number>>;

/** `events`: how many of `total` events were moved so far. */
type OnProgress = (events: number, total: number) => void;

/**
 * Copies everything of a stopped host, with its keys, from its data folder into an empty Postgres database. The folder
 * stays as it is. If it fails, the database stays empty.
 */
export async function moveStorage(
  from: Extract<StorageLocation, { kind: 'sqlite' }>,
  to: Extract<StorageLocation, { kind: 'postgres' }>,
  onProgress: OnProgress = () => undefined,
): Promise<MovedRows> {
  const contents = openFolderContents(from.folder);
  try {
    const { moveInto } = await import('@baton/store-postgres');
    await storageAt(to).prepare();
    const total = contents.count('events');
    return await moveInto(to.url, contents, (events) => onProgress(events, total));
  } finally {
    contents.close();
  }
}
