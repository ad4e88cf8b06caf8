import { expectStatus, runIdIn } from '../client/expect.mjs';
import { readLog } from '../client/requests.mjs';
import { followToEnd } from '../client/run-to-end.mjs';

/** The first turns, up to this share of the loop, are warm-up. */
const WARM_UP_SHARE = 0.1;

/**
 * Runs one loop from creation to the last event of its stream. The growth of a turn is computed afterwards
 * from the times of the decisions in the log.
 */
export async function timeLoop(connection, create, turns) {
  const start = performance.now();
  const runId = runIdIn(expectStatus(await connection.send(create), 201));
  await followToEnd(connection, runId);
  const turnMs = (performance.now() - start) / turns;

  const log = expectStatus(await connection.send(readLog(runId)), 200);
  const decided = JSON.parse(log.toString()).events.filter(
    (event) => event.type === 'runOrchestrator.decided',
  );
  return { turnMs, growthPercent: growth(decided.map((event) => Date.parse(event.timestamp))) };
}

/**
 * How much longer the last third of the turns after the warm-up took than the first third. The times are
 * those of slices, some milliseconds apart, so a comparison of single turns would only show noise.
 */
function growth(times) {
  const from = Math.floor(times.length * WARM_UP_SHARE);
  const third = Math.floor((times.length - 1 - from) / 3);
  const first = times[from + third] - times[from];
  const last = times[times.length - 1] - times[times.length - 1 - third];
  return (last / first - 1) * 100;
}
