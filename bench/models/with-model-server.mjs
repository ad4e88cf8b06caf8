import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startChild } from '../host/children.mjs';
import { makeDataFolder, removeDataFolder } from '../host/data-folder.mjs';
import { printedPort } from '../host/host-process.mjs';
import { ENDLESS, INSTANT, PROVIDER } from './names.mjs';

const SERVER = fileURLToPath(new URL('./model-server.mjs', import.meta.url));
const ASK_AGAIN_MS = 100;
const PATIENCE_MS = 60_000;

/** Runs `use` with a local model in a process of its own, and with the settings of a host that asks it. */
export async function withModelServer(use) {
  const folder = makeDataFolder();
  const { child, ended } = startChild(SERVER);
  try {
    const port = await printedPort(child, ended);
    return await use({ ...modelServer(port), hostSettings: hostSettings(folder, port) });
  } finally {
    child.kill('SIGTERM');
    await ended;
    removeDataFolder(folder);
  }
}

/** The bounds for calls at once are higher than the number of agents that the benchmark starts. */
function hostSettings(folder, port) {
  const file = join(folder, 'models.json');
  const provider = { kind: 'openai-compatible', baseURL: `http://127.0.0.1:${port}/v1`, concurrency: 1000 };
  const classes = { general: `${PROVIDER}/${INSTANT}`, writing: `${PROVIDER}/${ENDLESS}` };
  writeFileSync(file, JSON.stringify({ providers: { [PROVIDER]: provider }, classes }));
  return { BATON_MODELS: file, BATON_MAX_EFFECTS: '1000' };
}

/** The endpoints of the server that are not those of a model. */
export function modelServer(port) {
  const url = `http://127.0.0.1:${port}`;
  const opened = async () => (await fetch(`${url}/open`)).json();
  return {
    port,
    /** Tokens that were sent in all answers which do not end by themselves. */
    tokens: async () => (await opened()).tokens,
    /** Waits until so many answers are being sent. */
    async untilOpen(count) {
      const end = performance.now() + PATIENCE_MS;
      while (performance.now() < end) {
        if ((await opened()).open === count) return;
        await sleep(ASK_AGAIN_MS);
      }
      throw new Error(`${(await opened()).open} answers of the model are open, not ${count}`);
    },
    finish: async () => void (await fetch(`${url}/finish`, { method: 'POST' })),
  };
}
