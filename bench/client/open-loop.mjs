import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Calls `task` at a fixed rate for some seconds, without waiting for earlier calls. After a stall the host
 * receives all requests that became due meanwhile, as it would from independent callers.
 */
export async function atRate(perSecond, seconds, task) {
  const start = performance.now();
  const total = Math.round(perSecond * seconds);
  const underway = [];
  for (let begun = 0; begun < total; ) {
    const due = Math.min(total, Math.floor(((performance.now() - start) / 1000) * perSecond) + 1);
    for (; begun < due; begun += 1) underway.push(task(begun, start + (begun / perSecond) * 1000));
    await sleep(1);
  }
  return Promise.all(underway);
}

/** Provides an idle connection, or opens another one if all are in use. */
export function connectionPool(open) {
  const idle = [];
  const all = [];
  return {
    async use(task) {
      let connection = idle.pop();
      if (connection === undefined) {
        connection = await open();
        all.push(connection);
      }
      const result = await task(connection);
      idle.push(connection);
      return result;
    },
    close() {
      for (const connection of all) connection.close();
    },
  };
}
