import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where the built console is: in an installed package, and in the project. */
const PLACES = ['../../console', '../console', '../../../../apps/console/dist', '../../../apps/console/dist'];

/** The folder of the built console; `undefined` when it was not built. */
export function consoleFolder(from: string = import.meta.url): string | undefined {
  return PLACES.map((place) => fileURLToPath(new URL(place, from))).find((folder) =>
    existsSync(join(folder, 'index.html')),
  );
}
