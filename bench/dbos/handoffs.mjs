import { DBOS } from '@dbos-inc/dbos-sdk';

/**
 * Measures handoffs a second with DBOS, in-process: a workflow starts another one, which does one step, and waits for
 * its result. Then one handoff after the other is timed. Prints the rate and the times as JSON.
 *
 *   node handoffs.mjs <address of a database> <in flight> <warm-up seconds> <seconds> <handoffs alone>
 */

const [, , url, inFlight, warmUp, seconds, alone] = process.argv;

const write = DBOS.registerWorkflow(
  (subject) => DBOS.runStep(async () => `On ${subject}`, { name: 'write' }),
  { name: 'write' },
);
const lead = DBOS.registerWorkflow(async (topic) => (await DBOS.startWorkflow(write)(topic)).getResult(), {
  name: 'lead',
});

async function handoff() {
  const report = await lead('tides');
  if (report !== 'On tides') throw new Error(`unexpected result: ${JSON.stringify(report)}`);
}

async function rateFor(duration) {
  const start = performance.now();
  const end = start + duration * 1000;
  let finished = 0;
  const keepGoing = async () => {
    while (performance.now() < end) {
      await handoff();
      finished += 1;
    }
  };
  await Promise.all(Array.from({ length: Number(inFlight) }, keepGoing));
  return finished / ((performance.now() - start) / 1000);
}

DBOS.setConfig({ name: 'bench', systemDatabaseUrl: url, logLevel: 'error', runAdminServer: false });
await DBOS.launch();
await rateFor(Number(warmUp));
const rate = await rateFor(Number(seconds));
const times = [];
while (times.length < Number(alone)) {
  const start = performance.now();
  await handoff();
  times.push(performance.now() - start);
}
await DBOS.shutdown();
console.log(JSON.stringify({ rate, times }));
