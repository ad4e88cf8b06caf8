import { openConnection } from './connection.mjs';

/** Opens as many connections as there may be requests in flight, and closes them afterwards. */
export async function withConnections(port, count, use) {
  const connections = await Promise.all(Array.from({ length: count }, () => openConnection(port)));
  try {
    return await use(connections);
  } finally {
    for (const connection of connections) connection.close();
  }
}

/** Keeps every connection busy with `task` for a while; gives how many tasks finished per second. */
export async function rateFor(connections, seconds, task) {
  const start = performance.now();
  const end = start + seconds * 1000;
  let finished = 0;
  await Promise.all(
    connections.map(async (connection) => {
      while (performance.now() < end) {
        await task(connection);
        finished += 1;
      }
    }),
  );
  return finished / ((performance.now() - start) / 1000);
}

/** Runs `task` so many times over all connections. */
export async function repeatOver(connections, times, task) {
  let begun = 0;
  await Promise.all(
    connections.map(async (connection) => {
      while (begun < times) {
        begun += 1;
        await task(connection);
      }
    }),
  );
}
