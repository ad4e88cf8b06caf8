import type { Worker } from 'node:worker_threads';
import type { Command } from '@baton/engine';
import type { StoreChange } from '@baton/engine/ports';
import { expect, it, onTestFinished } from 'vitest';
import { inHandMemory } from '../../packages/server/dist/thread/in-hand.js';
import { launchEngineThread } from '../../packages/server/dist/thread/launch.js';
import { startThreadedEngine } from '../../packages/server/dist/thread/threaded-engine.js';
import { emptyFolder } from '../empty-folder.ts';

/** An engine in a real thread, and the changes that the main thread has heard of. */
async function heardEngine() {
  const dataFolder = emptyFolder();
  const inHand = inHandMemory();
  let current: Worker | undefined;
  const fresh: (readonly [runId: string, first: number, count: number])[] = [];
  const launch = () => {
    current = launchEngineThread({
      storage: { kind: 'sqlite', folder: dataFolder },
      alwaysRefold: false,
      limits: {},
      inHand,
    });
    return current;
  };
  const engine = await startThreadedEngine(launch(), {
    launch,
    inHand,
    vault: () => ({ secrets: new Map(), sealingKey: new Uint8Array(32), changes: [] }),
    effects: { perform: () => Promise.reject(new Error('unexpected')) },
    onFatal: (error) => expect.unreachable(error.message),
    onRestart: () => undefined,
    onLog: () => undefined,
    onCommitted: () => undefined,
    onFresh: ({ runId, first, events }) => void fresh.push([runId, first, events.length]),
  });
  onTestFinished(async () => {
    await engine.stop();
  });
  const heard: StoreChange[] = [];
  engine.changes((change) => void heard.push(change));
  return { engine, heard, fresh, kill: async () => void (await current?.terminate()) };
}

const caller = { tenant: 'acme', principal: 'ada' };
const definition = { id: 'w', nodes: [{ id: 'n', typeId: 'core.noop', config: {} }], edges: [] };
const register: Command = { kind: 'register-workflow', caller, definition, shared: false };

it('reach the main thread before the reply to the command that made them', async () => {
  const { engine, heard } = await heardEngine();
  expect(await engine.execute(register)).toMatchObject({ ok: true });
  expect(heard).toEqual([{ kind: 'workflow', tenant: 'acme', id: 'w' }]);
  const created = await engine.execute({ kind: 'create-run', caller, body: { workflowId: 'w' } });
  if (!created.ok || created.value.kind !== 'run') return expect.unreachable('the run was not created');
  const { runId } = created.value;
  // A run that has not ended yet cannot be erased.
  const erase = () => engine.execute({ kind: 'erase-run', caller, runId, reason: 'asked' });
  await expect.poll(erase).toMatchObject({ ok: true });
  expect(heard.at(-1)).toEqual({ kind: 'log', runId });
});

it('count as missed when a thread was lost, because it may not have reported its last ones', async () => {
  const { engine, heard, kill } = await heardEngine();
  await kill();
  expect(await engine.execute(register)).toMatchObject({ ok: true });
  expect(heard).toEqual([{ kind: 'missed' }, { kind: 'workflow', tenant: 'acme', id: 'w' }]);
});

const WAITS = {
  id: 'waits',
  nodes: [{ id: 'wait', typeId: 'core.delay', config: { ms: 3_600_000 } }],
  edges: [],
};

it('are followed by the new events of a long log only while somebody follows it, also after a restart', async () => {
  const { engine, fresh, kill } = await heardEngine();
  await engine.execute({ kind: 'register-workflow', caller, definition: WAITS, shared: false });
  const created = await engine.execute({ kind: 'create-run', caller, body: { workflowId: 'waits' } });
  if (!created.ok || created.value.kind !== 'run') return expect.unreachable('the run was not created');
  const { runId } = created.value;
  /** Makes the log longer. */
  async function lengthen(): Promise<void> {
    for (const kind of ['pause-run', 'resume-run'] as const)
      await expect
        .poll(() => engine.execute({ kind, caller, runId, drainPolicy: 'immediate' }))
        .toMatchObject({ ok: true });
  }
  const last = () => fresh.filter(([id]) => id === runId).at(-1)?.[1] ?? 0;
  while (last() < 56) await lengthen();
  for (let n = 0; n < 10; n += 1) await lengthen();
  expect(last()).toBeLessThan(64);
  engine.tellFollowed(runId, true);
  await lengthen();
  expect(last()).toBeGreaterThan(64);
  const before = last();
  await kill();
  engine.changes(({ kind }) => kind === 'missed' && engine.tellFollowed(runId, true));
  await lengthen();
  expect(last()).toBeGreaterThan(before);
  engine.tellFollowed(runId, false);
  const after = last();
  await lengthen();
  expect(last()).toBe(after);
});
