import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import type { Command } from '@baton/engine';
import type { StoreChange } from '@baton/engine/ports';
import { expect, it, onTestFinished } from 'vitest';
import { inHandMemory } from '../../packages/server/dist/thread/in-hand.js';
import { launchEngineThread } from '../../packages/server/dist/thread/launch.js';
import { startThreadedEngine } from '../../packages/server/dist/thread/threaded-engine.js';

/** An engine in a real thread, and the changes that the main thread has heard of. */
async function heardEngine() {
  const dataFolder = mkdtempSync(join(tmpdir(), 'baton-changes-'));
  const inHand = inHandMemory();
  let current: Worker | undefined;
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
    onFresh: () => undefined,
  });
  onTestFinished(async () => {
    await engine.stop();
    rmSync(dataFolder, { recursive: true });
  });
  const heard: StoreChange[] = [];
  engine.changes((change) => void heard.push(change));
  return { engine, heard, kill: async () => void (await current?.terminate()) };
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
  await expect.poll(erase, { timeout: 20_000 }).toMatchObject({ ok: true });
  expect(heard.at(-1)).toEqual({ kind: 'log', runId });
});

it('count as missed when a thread was lost, because it may not have reported its last ones', async () => {
  const { engine, heard, kill } = await heardEngine();
  await kill();
  expect(await engine.execute(register)).toMatchObject({ ok: true });
  expect(heard).toEqual([{ kind: 'missed' }, { kind: 'workflow', tenant: 'acme', id: 'w' }]);
});
