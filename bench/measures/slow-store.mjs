import { fileURLToPath } from 'node:url';
import { runScript } from '../host/run-script.mjs';
import { amount, range } from '../report/numbers.mjs';
import { median } from '../report/statistics.mjs';
import { below, noTarget } from '../report/targets.mjs';

const SCRIPT = fileURLToPath(new URL('./time-cold-answers.mjs', import.meta.url));
const ANSWERS = 300;
const DELAYS_MS = [0, 1, 2, 5];
const TARGET = { delay: 2, ms: 450 };

/** How independent trees get on when every answer of the store takes some time, as over a network. */
export async function slowStore({ sizes, progress }) {
  const results = [];
  for (const delay of DELAYS_MS) {
    const rounds = [];
    for (let round = 0; round < sizes.rounds; round += 1)
      rounds.push(await runScript(SCRIPT, [delay, ANSWERS]));
    const times = rounds.map(({ ms }) => ms);
    progress(`${ANSWERS} answers, ${delay} ms a call: ${range(times, 'ms')}`);
    const commits = amount(median(rounds.map((round) => round.commits)));
    results.push({
      what: `${ANSWERS} cold answers, ${delay} ms for each call of the store`,
      host: `${amount(median(times))} ms, ${commits} commits`,
      target: delay === TARGET.delay ? below(TARGET.ms, median(times), 'ms') : noTarget(),
    });
  }
  return results;
}
