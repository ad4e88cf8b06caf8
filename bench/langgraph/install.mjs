import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { whyMissing } from '../peer/install-peer.mjs';

const FOLDER = fileURLToPath(new URL('../peers/', import.meta.url));
const VERSIONS = {
  '@langchain/core': '1.2.13',
  '@langchain/langgraph': '1.4.18',
  '@langchain/langgraph-checkpoint-sqlite': '1.0.4',
};

export const LANGGRAPH_VERSION = VERSIONS['@langchain/langgraph'];

/** Undefined if LangGraph can be used, else the reason why not. */
export function whyNoLangGraph(progress) {
  const peer = { name: `LangGraph ${LANGGRAPH_VERSION}`, folder: FOLDER, versions: VERSIONS };
  return whyMissing({ ...peer, afterwards: shareSqlite }, progress);
}

/** LangGraph uses the SQLite of this project: it is already built, and both sides use the same version. */
function shareSqlite() {
  rmSync(join(FOLDER, 'node_modules', 'better-sqlite3'), { recursive: true, force: true });
}

/** Resolves packages from the folder that they are installed in. */
export function langGraphRequire() {
  return createRequire(join(FOLDER, 'package.json'));
}
