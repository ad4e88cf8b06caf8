import { expectStatus } from '../client/expect.mjs';
import { withConnections } from '../client/in-flight.mjs';
import { post } from '../client/requests.mjs';
import { makeDataFolder, removeDataFolder } from './data-folder.mjs';
import { startHost } from './host-process.mjs';

/** Runs `use` against a new host that knows these workflows, and stops it afterwards. */
export async function withHost(workflows, { nodeFlags, settings }, use) {
  const dataFolder = makeDataFolder();
  try {
    const host = await startHost(dataFolder, nodeFlags, settings);
    try {
      await register(host.port, workflows);
      return await use({ ...host, dataFolder });
    } finally {
      await host.stop();
    }
  } finally {
    removeDataFolder(dataFolder);
  }
}

export async function register(port, workflows) {
  await withConnections(port, 1, async ([connection]) => {
    for (const workflow of workflows) {
      expectStatus(await connection.send(post('/v1/workflows', workflow)), 201);
    }
  });
}

export async function registerAgents(port, agents) {
  await withConnections(port, 1, async ([connection]) => {
    for (const manifest of agents) {
      expectStatus(await connection.send(post('/v1/agents', { manifest })), 201);
    }
  });
}
