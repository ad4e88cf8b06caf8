import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { whyMissing } from '../peer/install-peer.mjs';

const FOLDER = fileURLToPath(new URL('../peers/dbos/', import.meta.url));

export const DBOS_VERSION = '5.3.0';

/** Undefined if DBOS can be used, else the reason why not. */
export function whyNoDbos(progress) {
  const versions = { '@dbos-inc/dbos-sdk': DBOS_VERSION };
  return whyMissing({ name: `DBOS ${DBOS_VERSION}`, folder: FOLDER, versions }, progress);
}

/** Resolves packages from the folder that they are installed in. */
export function dbosRequire() {
  return createRequire(join(FOLDER, 'package.json'));
}
