import './node-version.mjs';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { inProject } from './project.mjs';
import { parsedOptions, refuse } from './usage.mjs';
import { readyForTests, runVitest } from './vitest.mjs';

const USAGE = `npm run proof                        every test at full size, part by part; up to an hour
npm run proof -- crash cluster       some parts: folders of tests, packages or apps
npm run proof -- crash --repeat 10   the same ten times, to hunt a test that fails now and then
npm run proof -- --list              the parts

BATON_FUZZ_SEED repeats the random cases of an earlier proof, which prints its seed.`;

/** Their tests start processes and measure time, so nothing else may run beside them. */
const ONE_WORKER = new Set(
  'attacks browser cluster crash docs installing moving poison product terminal store-postgres cli'.split(
    ' ',
  ),
);
const TIMES = inProject('.cache', 'tests', 'proof-seconds.json');
/** How long parts took on two processors. The other parts took less than half a minute. */
const USUAL_SECONDS = {
  ...{
    fuzz: 430,
    cluster: 470,
    crash: 300,
    simulator: 600,
    'store-postgres': 300,
    http: 240,
    docs: 230,
    driver: 130,
  },
  ...{ poison: 160, 'store-sqlite': 60, terminal: 155, installing: 140, moving: 110, cli: 150, browser: 200 },
  ...{ attacks: 60, durability: 55, agents: 90, models: 60, engine: 60, client: 60, peers: 90 },
};

/** Every folder with tests, by its name. */
function allParts() {
  const parts = new Map();
  for (const home of ['packages', 'apps', 'tests']) {
    for (const name of readdirSync(inProject(home))) {
      const folder = `${home}/${name}`;
      if (name === 'node_modules' || !statSync(inProject(folder)).isDirectory() || !hasTests(folder))
        continue;
      // The agents are a package and a folder of tests: both are one part.
      parts.set(name, [...(parts.get(name) ?? []), `${folder}/`]);
    }
  }
  // At the end, when the other parts have recorded what they verified.
  return parts.set('requirements', ['tests/requirements.']);
}

function hasTests(folder) {
  return readdirSync(inProject(folder), { recursive: true }).some(
    (name) => /\.(?:test|proof)\.ts$/.test(name) && !/(?:^|\/)(?:node_modules|dist)\//.test(name),
  );
}

const minutes = (seconds) => (seconds < 90 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`);

const { values, positionals } = parsedOptions(USAGE, {
  allowPositionals: true,
  options: { list: { type: 'boolean' }, repeat: { type: 'string' } },
});
const parts = allParts();
if (values.list) {
  console.log([...parts.keys()].sort().join('\n'));
  process.exit(0);
}
for (const name of positionals) {
  if (!parts.has(name)) refuse(`There is no part "${name}". npm run proof -- --list names the parts.`, USAGE);
}
const repeat = Number(values.repeat ?? 1);
if (!Number.isInteger(repeat) || repeat < 1) refuse('--repeat takes a whole number from 1.', USAGE);

await readyForTests();
const seed = process.env.BATON_FUZZ_SEED ?? String(Math.floor(Math.random() * 2 ** 31));
const chosen = positionals.length > 0 ? positionals : [...parts.keys()];
const rounds = Array.from({ length: repeat }, () => chosen).flat();
const seconds = existsSync(TIMES) ? JSON.parse(readFileSync(TIMES, 'utf8')) : {};
const started = Date.now();
const rows = [];
const usual = (names) => names.reduce((sum, name) => sum + (seconds[name] ?? USUAL_SECONDS[name] ?? 25), 0);
const expected = rounds.map((_, at) => usual(rounds.slice(at)));
for (const [at, name] of rounds.entries()) {
  // The parts so far say how fast this machine is.
  const pace = at === 0 ? 1 : (Date.now() - started) / 1000 / (expected[0] - expected[at]);
  const left = minutes(expected[at] * pace);
  console.log(
    `\n== ${name}: part ${at + 1} of ${rounds.length}, about ${left} left, BATON_FUZZ_SEED=${seed} ==`,
  );
  const from = Date.now();
  const { status, record } = await runVitest(parts.get(name), {
    record: `proof/${name}`,
    BATON_PROOF: '1',
    ...(ONE_WORKER.has(name) && { BATON_TEST_WORKERS: '1' }),
    BATON_FUZZ_SEED: seed,
  });
  seconds[name] = (Date.now() - from) / 1000;
  rows.push({ name, status, record, seconds: seconds[name] });
  mkdirSync(dirname(TIMES), { recursive: true });
  writeFileSync(TIMES, JSON.stringify(seconds));
}

console.log(
  `\n${'part'.padEnd(20)}  ${'passed'.padStart(7)}  ${'failed'.padStart(6)}  ${'time'.padStart(7)}`,
);
for (const { name, status, record, seconds: took } of rows) {
  const counts = `${String(record?.passed ?? '?').padStart(7)}  ${String(record?.failed ?? '?').padStart(6)}`;
  const verdict = status === 0 ? '' : '  failed';
  console.log(`${name.padEnd(20)}  ${counts}  ${minutes(took).padStart(7)}${verdict}`);
}
const sum = (key) => rows.reduce((total, { record }) => total + (record?.[key] ?? 0), 0);
console.log(
  `\nBATON_FUZZ_SEED=${seed} repeats the random cases. ${minutes((Date.now() - started) / 1000)} in all.`,
);
console.log(`${sum('passed')} passed, ${sum('failed')} failed`);
process.exit(rows.every(({ status }) => status === 0) ? 0 : 1);
