import { rateFor, withConnections } from '../client/in-flight.mjs';
import { runToEnd } from '../client/run-to-end.mjs';

export const IN_FLIGHT = 64;

/** Finished runs a second, from creation to the last event: one figure for each round after a warm-up. */
export function runRates(port, create, { warmUpSeconds, seconds, rounds }) {
  return withConnections(port, IN_FLIGHT, async (connections) => {
    const task = (connection) => runToEnd(connection, create);
    await rateFor(connections, warmUpSeconds, task);
    const rates = [];
    while (rates.length < rounds) rates.push(await rateFor(connections, seconds, task));
    return rates;
  });
}
