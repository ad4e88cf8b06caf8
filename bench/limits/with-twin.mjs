import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startChild } from '../host/children.mjs';
import { makeDataFolder, removeDataFolder } from '../host/data-folder.mjs';
import { printedPort } from '../host/host-process.mjs';

const TWIN = fileURLToPath(new URL('./fastify-twin.mjs', import.meta.url));

/** Runs `use` with the port of a Fastify twin that answers every request for events with `stream`. */
export async function withTwin(stream, use) {
  const folder = makeDataFolder();
  const file = join(folder, 'stream.txt');
  writeFileSync(file, stream);
  const { child, ended } = startChild(TWIN, { args: [file] });
  try {
    return await use(await printedPort(child, ended));
  } finally {
    child.kill('SIGTERM');
    await ended;
    removeDataFolder(folder);
  }
}
