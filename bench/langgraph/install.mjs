import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { peer } from '../peer/install-peer.mjs';

export const LANGGRAPH = peer(
  'LangGraph',
  new URL('./', import.meta.url),
  '@langchain/langgraph',
  // It uses the SQLite of this project: that is already built, and both sides use the same version.
  (folder) => rmSync(join(folder, 'node_modules', 'better-sqlite3'), { recursive: true, force: true }),
);
