// Records logs of this version, which the tests of every later version fold and replay: see tests/recorded.
// Run once before a release: npm run build && node scripts/record-logs.mjs
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ENGINE_VERSION, startEngine } from '@baton/engine';
import { CONFORMANCE } from '@baton/engine/conformance';
import { openSqliteReads, openSqliteStore } from '@baton/store-sqlite';

const root = new URL('..', import.meta.url).pathname;
const caller = { tenant: 'acme', principal: 'ana' };

let now = Date.UTC(2026, 0, 1);
const alarms = new Set();
const clock = {
  now: () => now,
  at(time, callback) {
    const alarm = { time, callback };
    alarms.add(alarm);
    return () => alarms.delete(alarm);
  },
};
async function settled() {
  for (let turn = 0; turn < 40; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
async function pass(ms) {
  now += ms;
  for (const alarm of [...alarms].filter(({ time }) => time <= now)) {
    alarms.delete(alarm);
    alarm.callback();
  }
  await settled();
}

/** Outcomes of effects: every fifth one fails, and some are held back until the script releases them. */
const held = [];
let calls = 0;
async function perform(effect) {
  calls += 1;
  const mine = calls;
  if (effect.kind === 'model.call') {
    const usage = { inputTokens: 7, outputTokens: 3 };
    const attempt = { cacheKey: effect.cacheKey, result: { kind: 'valid' }, usage };
    return { kind: 'done', outputs: { attempts: [attempt], value: { valid: true } } };
  }
  if (JSON.stringify(effect.request).includes('slow')) await new Promise((resolve) => held.push(resolve));
  if (mine % 5 === 0) return { kind: 'failed', error: { code: 'outside_broke', message: 'as told' } };
  return { kind: 'done', outputs: { answer: mine } };
}

const folder = mkdtempSync(join(tmpdir(), 'baton-record-'));
const store = openSqliteStore(folder);
const slices = [];
const recording = {
  ...store,
  async commit(given) {
    const results = await store.commit(given);
    given.forEach((slice, at) => {
      const isRecorded = slice.runs.length > 0 || slice.memory;
      if (results[at] === 'committed' && isRecorded) slices.push(withoutStates(slice));
    });
    return results;
  },
};
/** Saved states are a cache of one version, so they are not recorded. */
function withoutStates({ idempotency: _reply, wake: _wake, ...slice }) {
  return { ...slice, runs: slice.runs.map(({ checkpoint: _state, ...run }) => run) };
}

const engine = await startEngine({
  store: recording,
  effects: { perform },
  conformance: CONFORMANCE,
  clock,
  onFatal: (error) => {
    throw error;
  },
});
await engine.recover();
const reads = openSqliteReads(folder);

async function send(command) {
  const reply = await engine.execute(command);
  if (!reply.ok) throw new Error(`${command.kind}: ${JSON.stringify(reply.error)}`);
  await settled();
  return reply.value;
}
const register = (definition) => send({ kind: 'register-workflow', caller, definition, shared: false });
const start = async (workflowId, inputs = {}, more = {}) =>
  (await send({ kind: 'create-run', caller, body: { workflowId, inputs, ...more } })).runId;
const answer = (runId, nodeId, resumeValue, principal = 'ben') =>
  send({
    kind: 'resolve-interrupt',
    caller: { ...caller, principal },
    runId,
    target: { nodeId },
    resumeValue,
    viaToken: false,
    scopes: [],
  });
/** Answers all interrupts until none is open. */
async function answerAll(valueFor) {
  for (let round = 0; round < 10; round += 1) {
    const { items } = await reads.interrupts(caller.tenant, 50);
    if (items.length === 0) return;
    for (const { runId, nodeId, kind } of items) {
      await pass(100);
      await answer(runId, nodeId, valueFor(kind));
    }
    await pass(1000);
  }
}
const yes = (kind) => (kind === 'clarification' ? { answers: { answer: 'yes' } } : { action: 'accept' });

const node = (id, typeId, config = {}, more = {}) => ({ id, typeId, config, ...more });
const edges = (...pairs) => pairs.map(([sourceNodeId, targetNodeId]) => ({ sourceNodeId, targetNodeId }));
const chain = (id, nodes, more = {}) => ({
  id,
  nodes,
  edges: edges(...nodes.slice(1).map((next, at) => [nodes[at].id, next.id])),
  ...more,
});
const effect = (id, mark) =>
  node(
    id,
    'core.conformance.side-effect',
    {},
    {
      inputs: { mark: { type: 'static', value: mark } },
      settings: { retry: { maxRetries: 2, backoffMs: 500 } },
    },
  );
const remember = (id, key, content, more = {}) =>
  node(id, 'vendor.baton.memory.write', { key, content, ...more });
const recall = (id, into) => node(id, 'vendor.baton.memory.read', { into });
const sub = (id, workflowId, config = {}, more = {}) =>
  node(id, 'core.subWorkflow', { workflowId, ...config }, more);

for (const file of readdirSync(join(root, 'examples')).filter((name) => name.endsWith('.json'))) {
  await register(JSON.parse(readFileSync(join(root, 'examples', file), 'utf8')));
}
await register(chain('slow-child', [effect('call', 'slow'), remember('note', 'slow', 'later')]));
await register(
  chain('quick-child', [effect('call', 'quick'), remember('note', 'quick', 'sooner', { ttlSeconds: 2 })]),
);
await register({
  id: 'side-by-side',
  nodes: [sub('a', 'slow-child'), sub('b', 'quick-child'), recall('after', 'notes')],
  edges: edges(['a', 'after'], ['b', 'after']),
});
await register(
  chain('gated', [
    remember('own', 'own', 'before'),
    sub(
      'ask',
      'quick-child',
      {},
      { settings: { outputAttestation: { checksum: true, requireApproval: true } } },
    ),
    node('forget', 'vendor.baton.memory.forget', { key: 'own' }),
    recall('after', 'notes'),
  ]),
);
await register(
  chain('work', [remember('note', 'work', 'done')], {
    variables: [{ name: 'result', type: 'string', defaultValue: 'fine' }],
  }),
);
await register({
  id: 'desk',
  nodes: [
    node('supervisor', 'core.orchestrator.supervisor', {
      mockDispatchPlan: [
        { kind: 'next-worker', nextWorkerIds: ['work', 'nobody'] },
        { kind: 'ask-user', prompt: 'Go on?' },
        { kind: 'next-worker', nextWorkerIds: ['work'], confidence: 0.3 },
        { kind: 'terminate', reason: 'done' },
      ],
    }),
    node('dispatch', 'core.dispatch', { outputMapping: { outcome: 'result' } }),
  ],
  edges: edges(['supervisor', 'dispatch'], ['dispatch', 'supervisor']),
});
const outputSchema = { type: 'object', required: ['valid'], properties: { valid: { type: 'boolean' } } };
await register(
  chain('model', [
    node(
      'call',
      'core.ai.structuredOutput',
      { provider: 'elsewhere', model: 'm', outputSchema },
      {
        inputs: { messages: { type: 'static', value: [{ role: 'user', content: 'Is it so?' }] } },
      },
    ),
  ]),
);
await register(
  chain('waits', [
    node('sleep', 'core.delay', { ms: 5000 }),
    node('write', 'core.channelWrite', {
      channelName: 'news',
      reducer: 'append',
      value: 'one',
      ttlMs: 60_000,
    }),
    node('gate', 'core.approvalGate', {
      title: 'Two of you?',
      actions: ['accept', 'reject', 'ask'],
      requiredApprovals: 2,
    }),
    node('event', 'core.interrupt', {
      kind: 'external-event',
      data: { eventType: 'paid', correlation: { order: 7 } },
      timeoutMs: 60_000,
    }),
  ]),
);

await start('hello', { name: 'Ada' });
await start('research-desk', { topic: 'bees' });
await start('release-approval', { version: '1.2.3' });
await answerAll(yes);
await start('vetted-report', { topic: 'tea' });
for (let round = 0; round < 8; round += 1) await pass(1000);
await answerAll(yes);
await start('notebook', { note: 'first' }, { scopeId: 'tides' });
await start('notebook', { note: 'second' }, { scopeId: 'tides' });
await start('side-by-side');
await pass(600);
for (const go of held.splice(0)) go();
await settled();
await pass(3000);
await start('gated');
await pass(600);
await answerAll(yes);
await start('desk');
await answerAll(yes);
await start('model');
const waiting = await start('waits');
await send({ kind: 'pause-run', caller, runId: waiting, drainPolicy: 'immediate', reason: 'lunch' });
await pass(2000);
await send({ kind: 'resume-run', caller, runId: waiting });
await pass(4000);
await answer(waiting, 'gate', { action: 'ask', question: 'Why?' });
await answer(waiting, 'gate', { action: 'accept', voter: 'x' });
await answer(waiting, 'gate', { action: 'accept', voter: 'y' });
await pass(61_000);

const definitions = {};
for (const slice of slices) {
  for (const run of slice.runs) {
    const digest = run.created && JSON.parse(run.events[0]).payload.definition;
    if (digest) definitions[digest] = JSON.parse(await reads.definition(digest));
  }
}
for (const row of (await reads.runs({ tenant: caller.tenant, limit: 100 })).items.filter(
  (row) => !row.parentRunId,
)) {
  console.log(row.workflowId.padEnd(20), row.status, row.head);
}
const file = join(root, 'tests', 'recorded', `${ENGINE_VERSION}.json`);
writeFileSync(file, `${JSON.stringify({ version: ENGINE_VERSION, definitions, slices })}\n`);
console.log(`${slices.length} slices in ${file}`);
await engine.stop();
await reads.close();
await store.close();
rmSync(folder, { recursive: true });
