import { expectStatus } from '../client/expect.mjs';
import { atRate } from '../client/open-loop.mjs';
import { quantile } from '../report/statistics.mjs';

export const REQUESTS_PER_SECOND = 100;

/**
 * Sends requests of these kinds by turns, at a fixed rate. Each is timed from the moment when it was due, so a
 * stall counts for every request that it delayed.
 */
export async function timeRequests(pool, kinds, seconds) {
  const waits = kinds.map(() => []);
  await atRate(REQUESTS_PER_SECOND, seconds, async (index, due) => {
    const kind = index % kinds.length;
    const { request, status } = kinds[kind];
    expectStatus(await pool.use((connection) => connection.send(request())), status);
    waits[kind].push(performance.now() - due);
  });
  return {
    ...timesOf(waits.flat()),
    byKind: kinds.map(({ name }, kind) => ({ kind: name, ...timesOf(waits[kind]) })),
  };
}

function timesOf(waits) {
  return { p50: quantile(waits, 0.5), p99: quantile(waits, 0.99), most: Math.max(...waits) };
}
