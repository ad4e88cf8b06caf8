import { fileURLToPath } from 'node:url';
import { withConnections } from '../client/in-flight.mjs';
import { startChild } from '../host/children.mjs';
import { makeDataFolder, removeDataFolder } from '../host/data-folder.mjs';
import { printedPort } from '../host/host-process.mjs';

const SERVE = fileURLToPath(new URL('./serve.mjs', import.meta.url));

/** Runs `use` with so many connections to a new server of LangGraph, whose graphs ask the model at this port. */
export async function withLangGraphServer({ connections, modelPort = 0 }, use) {
  const folder = makeDataFolder();
  const { child, ended } = startChild(SERVE, {
    args: [folder],
    env: {
      ...process.env,
      NODE_ENV: 'production',
      LOG_LEVEL: 'error',
      BENCH_MODEL_PORT: String(modelPort),
    },
  });
  try {
    return await withConnections(await printedPort(child, ended), connections, use);
  } finally {
    child.kill('SIGKILL');
    await ended;
    removeDataFolder(folder);
  }
}
