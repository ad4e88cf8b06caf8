import { expectStatus } from '../client/expect.mjs';
import { rateFor } from '../client/in-flight.mjs';
import { post } from '../client/requests.mjs';
import { timed, timedInTurns } from '../client/timed.mjs';
import { stepsOf } from '../langgraph/graphs.mjs';
import { asker, TASK } from '../models/ask.mjs';
import { INSTANT } from '../models/names.mjs';
import { median } from '../report/statistics.mjs';
import { withLangGraphServer } from './with-server.mjs';

/** What the benchmark measures of the HTTP server of LangGraph. */

/** Handoffs a second. */
export function handoffRate(inFlight, { warmUpSeconds, seconds }) {
  const handoff = (connection) => supervise(connection, 1);
  return withLangGraphServer({ connections: inFlight }, async (connections) => {
    await rateFor(connections, warmUpSeconds, handoff);
    return rateFor(connections, seconds, handoff);
  });
}

/** Milliseconds of a turn in a run of many turns. */
export function turnTime(warmUpTurns, turns) {
  return withLangGraphServer({ connections: 1 }, async ([connection]) => {
    await supervise(connection, warmUpTurns);
    return (await timed(() => supervise(connection, turns))) / turns;
  });
}

/** Milliseconds of a model call alone and of a run that makes it, by turns. */
export function stepTimes(modelPort, times) {
  const ask = asker(modelPort, INSTANT);
  return withLangGraphServer({ connections: 1, modelPort }, async ([connection]) => {
    const step = () =>
      runToEnd(connection, 'speaking', {
        input: { task: TASK },
        streamMode: ['custom', 'values'],
        ending: '"text":"',
      });
    const [bare, withServer] = await timedInTurns([() => ask(), step], times);
    return { bare: median(bare), step: median(withServer) };
  });
}

function supervise(connection, turns) {
  return runToEnd(connection, 'supervised', {
    input: { topic: 'tides', turnsLeft: turns },
    config: { recursion_limit: stepsOf(turns) },
    ending: '"report":"On tides","turnsLeft":-1,"decision":"terminate"',
  });
}

/** Creates a thread and a run on it, and reads the stream of the run, which has to contain `ending`, to its end. */
async function runToEnd(connection, graph, { input, config, streamMode = ['values'], ending }) {
  const thread = JSON.parse(expectStatus(await connection.send(post('/threads', {})), 200));
  const body = { assistant_id: graph, input, config, stream_mode: streamMode };
  const run = post(`/threads/${thread.thread_id}/runs/stream`, body);
  const stream = expectStatus(await connection.send(run), 200);
  if (stream.includes(ending) && !stream.includes('event: error')) return;
  throw new Error(`a run of LangGraph did not complete: ${stream.toString().slice(-1000)}`);
}
