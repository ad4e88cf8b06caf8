import './node-version.mjs';
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inProject } from './project.mjs';
import { ensureReady } from './ready.mjs';
import { parsedOptions } from './usage.mjs';

const USAGE = `npm run example:two-hosts   two hosts on this machine: Paris hands a text to Tokyo, a person in Paris
                            approves the result, and the run is followed and verified across both

Nothing is left behind.`;

const BATON = inProject('packages', 'cli', 'bin', 'baton.js');
const KEY = 'a-key-for-the-example';
const PATIENCE_MS = 60_000;

const variable = (name) => ({ name, type: 'string' });
const WORKFLOWS = {
  tokyo: {
    id: 'shout',
    name: 'Shout',
    version: '1',
    nodes: [
      {
        id: 'say',
        typeId: 'vendor.baton.set',
        name: 'Say',
        config: { assign: { text: '"Heard: " + variables.task' } },
      },
    ],
    variables: [variable('task'), variable('text')],
  },
  paris: {
    id: 'report',
    name: 'Report',
    version: '1',
    nodes: [
      {
        id: 'hand',
        typeId: 'core.subWorkflow',
        name: 'Hand over',
        config: {
          workflowId: 'peer:tokyo/shout',
          inputMapping: { task: 'topic' },
          outputMapping: { report: 'text' },
        },
        settings: { outputAttestation: { checksum: true, requireApproval: true } },
      },
    ],
    variables: [variable('topic'), variable('report')],
  },
};

parsedOptions(USAGE);
await ensureReady();
const folder = mkdtempSync(join(tmpdir(), 'baton-two-hosts-'));
const running = [];

try {
  await show();
} catch (error) {
  console.error(`\nThe example failed: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
} finally {
  for (const { child, exited } of running) {
    child.kill('SIGTERM');
    await exited;
  }
  rmSync(folder, { recursive: true, force: true });
}

async function show() {
  const paris = await start('paris');
  const tokyo = await start('tokyo');
  step(`Two hosts are running: Paris at ${paris.url}, Tokyo at ${tokyo.url}`);

  await baton(paris, 'peers', 'add', 'tokyo', '--url', tokyo.url);
  await baton(
    tokyo,
    'peers',
    'add',
    'paris',
    '--url',
    paris.url,
    '--publish',
    'shout',
    '--tenant',
    'default',
  );
  step('Each knows the id and the audit key of the other, and Tokyo publishes "shout" to Paris');

  const created = await ask(paris, 'POST', '/v1/runs', { workflowId: 'report', inputs: { topic: 'owls' } });
  const { runId } = created;
  await until(paris, runId, 'waiting-approval');
  step(`Paris has handed the work over. The result has come back and waits for approval (run ${runId})`);

  await ask(paris, 'POST', `/v1/runs/${runId}/interrupts/hand`, { resumeValue: { action: 'accept' } });
  const { variables, traceId } = await until(paris, runId, 'completed');
  step(`A person has approved it: "${variables.report}"`);

  const { attestations } = await ask(paris, 'GET', `/v1/runs/${runId}/attestations`);
  const { runs } = await ask(tokyo, 'GET', '/v1/runs');
  if (runs.length !== 1) throw new Error(`Tokyo has ${runs.length} runs instead of one.`);
  const there = await ask(tokyo, 'GET', `/v1/runs/${runs[0].runId}`);
  if (there.traceId !== traceId) throw new Error('The run in Tokyo belongs to another trace.');
  if (attestations[0]?.remote?.signature !== 'valid') throw new Error('The result is not signed by Tokyo.');

  step('From the run in Tokyo up to the run in Paris (baton ancestry)');
  const place = ['--url', tokyo.url, '--api-key', KEY, '--key-for', `${paris.url}=${KEY}`];
  print(await baton(tokyo, 'ancestry', runs[0].runId, ...place));
  step('The run in Paris, checked with the keys of both hosts (baton verify)');
  print(await baton(paris, 'verify', runId));
  step(`Both runs belong to the trace ${traceId}`);
}

/** Starts a host with a data folder of its own, on a free port. */
async function start(name) {
  const data = join(folder, name);
  const workflows = join(folder, `${name}-workflows`);
  mkdirSync(workflows);
  writeFileSync(join(workflows, 'workflow.json'), JSON.stringify(WORKFLOWS[name]));
  const env = {
    ...process.env,
    ...{ BATON_DATA: data, BATON_HOST_ID: name, BATON_API_KEY: KEY, BATON_PORT: '0' },
    ...{ BATON_WORKFLOWS: workflows, NO_COLOR: '1' },
  };
  const child = spawn(process.execPath, [BATON, 'serve'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  running.push({ child, exited });
  let output = '';
  const url = await new Promise((resolve, reject) => {
    const read = (chunk) => {
      output += chunk;
      const found = /(?<=address +)http:\/\/127\.0\.0\.1:\d+/.exec(output);
      if (found) resolve(found[0]);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    exited.then(() => reject(new Error(`the host ${name} did not start:\n${output}`)));
  });
  return { url, env };
}

/** Runs a command of the program, and returns what it printed. */
async function baton({ env }, ...words) {
  const child = spawn(process.execPath, [BATON, ...words], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  let noted = '';
  child.stdout.on('data', (chunk) => {
    printed += chunk;
  });
  child.stderr.on('data', (chunk) => {
    noted += chunk;
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code === 0) return printed;
  throw new Error(`"baton ${words.slice(0, 2).join(' ')}" ended with ${code}:\n${printed}${noted}`);
}

async function ask({ url }, method, path, body) {
  const response = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${KEY}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const answer = await response.json();
  if (response.ok) return answer;
  throw new Error(`${method} ${path} was refused: ${answer.message}`);
}

async function until(host, runId, status) {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const run = await ask(host, 'GET', `/v1/runs/${runId}`);
    if (run.status === status) return run;
    if (run.status === 'failed' || Date.now() > end) {
      throw new Error(`the run is ${run.status} instead of ${status}. ${run.error?.message ?? ''}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function step(text) {
  console.log(`\n• ${text}`);
}

function print(text) {
  console.log(text.trimEnd().replace(/^/gm, '    '));
}
