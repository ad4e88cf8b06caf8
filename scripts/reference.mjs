import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inProject } from './project.mjs';
import { ensureReady } from './ready.mjs';
import { referencePages } from './reference/pages.mjs';
import { parsedOptions } from './usage.mjs';

const USAGE = 'npm run docs   writes docs/reference from the schemas and the command';

parsedOptions(USAGE);
await ensureReady();
const folder = inProject('docs', 'reference');
mkdirSync(folder, { recursive: true });
for (const [name, text] of Object.entries(await referencePages())) {
  const file = join(folder, name);
  const before = readIfThere(file);
  if (before === text) continue;
  writeFileSync(file, text);
  console.log(`docs/reference/${name}`);
}

function readIfThere(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
