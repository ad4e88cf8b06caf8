import { openConnection } from '../client/connection.mjs';
import { expectStatus, runIdIn } from '../client/expect.mjs';
import { get, post } from '../client/requests.mjs';
import { followToEnd } from '../client/run-to-end.mjs';
import { timed, timedInTurns } from '../client/timed.mjs';
import { withHost } from '../host/with-host.mjs';
import { amount, spread } from '../report/numbers.mjs';
import { median } from '../report/statistics.mjs';
import { atMostTimes, below, noTarget } from '../report/targets.mjs';
import { LONG_RUN_WORKERS, longRun } from '../workflows/long-run.mjs';
import { makeLongRun } from './make-long-run.mjs';

const LONG = 'bench-long';
const SHORT = 'bench-short';
/** States are read within this share of the run around its middle, so that few states are read twice. */
const AROUND_MIDDLE = 0.1;

/** Branches and earlier states: whether their cost grows with the length of the run. */
export async function rewind({ sizes, nodeFlags, progress }) {
  const { longRunEvents, shortRunEvents } = sizes;
  const workflows = [...LONG_RUN_WORKERS, longRun(LONG, longRunEvents), longRun(SHORT, shortRunEvents)];
  return withHost(workflows, { nodeFlags }, async ({ port }) => {
    const connection = await openConnection(port);
    progress(`a run of ${amount(longRunEvents)} events and one of ${amount(shortRunEvents)}`);
    const long = await makeLongRun(connection, LONG);
    const short = await makeLongRun(connection, SHORT);
    const results = await measure(connection, long, short, sizes.requests, progress);
    connection.close();
    return results;
  });
}

async function measure(connection, long, short, requests, progress) {
  progress(`branches from the middle, event ${amount(long.middle)} and event ${amount(short.middle)}`);
  const branches = [long, short].map((source) => () => fork(connection, source, 'branch'));
  const [ofLong, ofShort] = await timedInTurns(branches, requests);
  progress(`of the long run: ${spread(ofLong, 'ms')}; of the short one: ${spread(ofShort, 'ms')}`);
  const [states] = await timedInTurns([(round) => stateAround(connection, long, round, requests)], requests);
  progress(`states around the middle of the long run: ${spread(states, 'ms')}`);
  const replayMs = await timed(async () => followToEnd(connection, await fork(connection, long, 'replay')));
  const replayed = long.length - long.middle;
  progress(`a replay of its second half, ${amount(replayed)} events: ${amount(replayMs)} ms`);

  const events = long.length.toLocaleString('en-US');
  const branch = median(ofLong);
  return [
    {
      what: `Branch at the middle of ${events} events`,
      host: `${amount(branch)} ms`,
      target: atMostTimes(3, branch, median(ofShort), `that of ${short.length.toLocaleString('en-US')}`),
    },
    {
      what: '  state around there',
      host: `${amount(median(states))} ms`,
      target: below(50, median(states), 'ms'),
    },
    {
      what: '  replaying what came after',
      host: `${amount(replayMs)} ms`,
      target: noTarget(`${amount((replayMs / replayed) * 1000)} µs an event`),
    },
  ];
}

async function fork(connection, { runId, middle }, mode) {
  const request = post(`/v1/runs/${runId}:fork`, { mode, fromSeq: middle });
  return runIdIn(expectStatus(await connection.send(request), 201));
}

async function stateAround(connection, { runId, middle, length }, round, requests) {
  const offset = Math.round((round / requests - 0.5) * length * AROUND_MIDDLE);
  expectStatus(await connection.send(get(`/v1/runs/${runId}/state?at=${middle + offset}`)), 200);
}
