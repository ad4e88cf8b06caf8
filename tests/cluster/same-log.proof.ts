import { openPostgresReads, openPostgresStore, prepareDatabase } from '@baton/store-postgres';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import {
  boss,
  declare,
  hand,
  inOrder,
  node,
  TERMINATE,
  workflow,
} from '../../packages/conformance/src/testkit/workflows.ts';
import { newDatabase, stopServers } from '../../packages/store-postgres/testing/postgres-server.ts';
import { answer, fork, replay, start } from '../driver/forking.ts';
import { type Bench, type BenchOptions, CALLER, handClock, startTestEngine } from '../driver/test-engine.ts';
import { type Dice, diceOf } from '../fuzz/random-choice.ts';
import { HELPER, RICH } from '../rich-tree.ts';
import { simulatedPostgres } from '../simulator/postgres/simulated-postgres.ts';
import { openStorage } from '../simulator/storage.ts';
import { timelineOf } from '../simulator/timeline.ts';

/** The same commands at the same times give the same logs, byte for byte, over whichever store. */

afterAll(stopServers);

const DELAY_MS = 500;

/** Remembers, waits, and brings a text to the gate, at which a critic and then a person judge it. */
const WRITER_NODES = [
  node('note', 'vendor.baton.memory.write', { key: 'note', content: 'of the writer' }),
  node('wait', 'core.delay', { ms: DELAY_MS }),
];
const WRITER = workflow('writer', WRITER_NODES, {
  edges: inOrder(WRITER_NODES),
  variables: declare({ text: 'draft' }),
});
const CRITIC = workflow('critic', [node('think', 'core.noop')], { variables: declare({ verdict: 'pass' }) });
const GATE = { outputAttestation: { requireApproval: true }, verifier: { workflowId: 'critic' } };

function supervised() {
  const plan = [hand('writer'), hand('helper'), TERMINATE];
  const definition = boss(plan, { outputMapping: { report: 'text' } }) as {
    nodes: Record<string, unknown>[];
  };
  definition.nodes[1] = { ...definition.nodes[1], settings: GATE };
  return definition;
}

type Opened = Awaited<ReturnType<NonNullable<BenchOptions['open']>>>;

async function onPostgres(): Promise<Opened> {
  const url = await newDatabase();
  await prepareDatabase(url);
  return { store: await openPostgresStore(url, 1), reads: await openPostgresReads(url, 1) };
}

/** The store of the simulator, without its troubles. */
async function simulated(): Promise<Opened> {
  const storage = openStorage();
  const time = timelineOf();
  const calm: Dice = { ...diceOf(1), chance: () => false };
  const { store } = simulatedPostgres(time, storage, 1).join({
    trouble: { dead: false, frozenUntil: 0 } as never,
    clock: time.newClock().clock,
    dice: calm,
    onHostGone: () => undefined,
    onLost: () => undefined,
    onCommit: () => undefined,
    onWrite: () => undefined,
  });
  onTestFinished(() => storage.close());
  return { store: { ...store, close: async () => undefined }, reads: storage.newReads() };
}

async function until(host: Bench, runId: string, status: string): Promise<void> {
  await expect.poll(() => host.status(runId)).toBe(status);
}

async function questionsOf(host: Bench, runId: string): Promise<number> {
  return (await host.types(runId)).filter((type) => type === 'interrupt.requested').length;
}

/** Runs of all kinds, with the same ids and times each time. */
async function story(open: BenchOptions['open']) {
  const { clock, move } = handClock();
  let made = 0;
  const ids = { rootRunId: () => `0${String(++made).padStart(7, '0')}-0000-7000-8000-000000000000` };
  const host = await startTestEngine({ clock, ids, ...(open && { open }) });
  await host.register(RICH, HELPER, WRITER, CRITIC, supervised());

  const rich = await start(host, 'rich', { scopeId: 'desk', inputs: { amount: 10 }, tags: ['rich'] });
  await until(host, rich, 'waiting-approval');
  await move(1000);
  await answer(host, rich, 'gate');
  await until(host, rich, 'completed');

  const led = await start(host, 'boss');
  await expect.poll(() => host.store.nextWake()).toBe(clock.now() + DELAY_MS);
  await move(DELAY_MS);
  for (let merges = 1; merges <= 2; merges += 1) {
    await expect.poll(() => questionsOf(host, led)).toBe(merges);
    await answer(host, led, 'dispatch');
  }
  await until(host, led, 'completed');

  const asked = (await host.events(rich)).findIndex(({ type }) => type === 'interrupt.resolved');
  const branch = await fork(host, rich, { mode: 'branch', fromSeq: asked });
  await until(host, branch, 'waiting-approval');
  await answer(host, branch, 'gate');
  await until(host, branch, 'completed');
  const repeated = await replay(host, rich);
  await until(host, repeated, 'completed');

  return logsOf(host, [rich, led, branch, repeated]);
}

/** Each event with its place in its tree, and the row of each run with its hash chain. */
async function logsOf({ reads }: Bench, roots: readonly string[]) {
  const { tenant } = CALLER;
  const logs = [];
  for (const root of roots) {
    const family = await reads.runFamily(tenant, root, 100);
    for (const row of family === undefined ? [] : [family.row, ...family.descendants]) {
      const events = await reads.eventsInTree(tenant, row.runId, 0, 10_000);
      logs.push({ row, events });
    }
  }
  return logs;
}

const EXPECTED = [
  'runOrchestrator.decided',
  'baton.critic.started',
  'baton.merge.settled',
  'memory.written',
  'workspace.updated',
  'baton.effect.settled',
  'interrupt.resolved',
  'run.completed',
];

it('on SQLite, on Postgres and in the simulator', async () => {
  const here = await story(undefined);
  expect(here.length).toBeGreaterThan(8);
  const types = here.flatMap(({ events }) => events.map(({ text }) => JSON.parse(text).type));
  for (const type of EXPECTED) expect(types).toContain(type);
  expect(await story(onPostgres)).toEqual(here);
  expect(await story(simulated)).toEqual(here);
});
