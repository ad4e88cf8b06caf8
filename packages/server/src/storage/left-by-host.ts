import { type LeftByHost, leftByHost as leftInFolder } from '@baton/store-sqlite/left-by-host';
import type { StorageLocation } from './open-storage.ts';

export type { LeftByHost };

/** What the host of a storage leaves for commands on the same machine. The store itself is not loaded for it. */
export function leftByHost(location: StorageLocation): LeftByHost {
  switch (location.kind) {
    case 'sqlite':
      return leftInFolder(location.folder);
    case 'postgres':
      return { url: undefined, developmentKey: undefined };
  }
}
