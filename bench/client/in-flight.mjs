import { openConnection } from './connection.mjs';

/** Opens `count` connections, one for each request in flight, and closes them afterwards. */
export async function withConnections(port, count, use) {
  const connections = await Promise.all(Array.from({ length: count }, () => openConnection(port)));
  try {
    return await use(connections);
  } finally {
    for (const connection of connections) connection.close();
  }
}

/** Repeats `task` on every connection for some seconds. Returns how many tasks finished per second. */
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

/** Runs `task` the given number of times, distributed over all connections. */
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
