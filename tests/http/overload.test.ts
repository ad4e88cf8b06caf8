import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { switchCapability } from '@baton/conformance/engine';
import type { Command } from '@baton/engine';
import { expect, it } from 'vitest';
import { MAX_IN_FLIGHT, MAX_OF_A_TENANT } from '../../packages/server/dist/thread/in-flight.js';
import { inHandMemory } from '../../packages/server/dist/thread/in-hand.js';
import { launchEngineThread } from '../../packages/server/dist/thread/launch.js';
import { startThreadedEngine } from '../../packages/server/dist/thread/threaded-engine.js';
import { EXTENSION } from '../extension.ts';

const probe: Command = switchCapability('__probe__', null);

async function engineOn(dataFolder: string) {
  const inHand = inHandMemory();
  const launch = () =>
    launchEngineThread({
      storage: { kind: 'sqlite', folder: dataFolder },
      alwaysRefold: false,
      limits: {},
      extension: EXTENSION,
      inHand,
    });
  return startThreadedEngine(launch(), {
    launch,
    inHand,
    vault: () => ({ secrets: new Map(), sealingKey: new Uint8Array(32), changes: [] }),
    effects: { perform: () => Promise.reject(new Error('unexpected')) },
    onFatal: (error) => expect.unreachable(error.message),
    onRestart: (error) => expect.unreachable(error.message),
    onLog: () => undefined,
    onCommitted: () => undefined,
    onFresh: () => undefined,
  });
}

it('turns a tenant away beyond its bound, not the others, and loses nothing that it accepted', async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'baton-overload-'));
  const engine = await engineOn(dataFolder);
  const accepted = Array.from({ length: MAX_OF_A_TENANT }, () => engine.execute(probe));
  await expect(engine.execute(probe)).rejects.toMatchObject({ code: 'overloaded', status: 503 });
  expect(engine.inFlight()).toBe(MAX_OF_A_TENANT);
  const other = engine.execute(ofTenant('quiet'));
  const replies = await Promise.all(accepted);
  expect(replies.every((reply) => reply.ok)).toBe(true);
  expect(await other).toMatchObject({ ok: false, error: { error: 'not_found' } });
  expect((await engine.execute(probe)).ok).toBe(true);
  await engine.stop();
  await expect(engine.execute(probe)).rejects.toMatchObject({ code: 'shutting_down' });
  rmSync(dataFolder, { recursive: true });
});

it('turns everybody away beyond the bound of the host', async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'baton-overload-'));
  const engine = await engineOn(dataFolder);
  const accepted = ['a', 'b'].flatMap((tenant) =>
    Array.from({ length: MAX_IN_FLIGHT / 2 }, () => engine.execute(ofTenant(tenant))),
  );
  await expect(engine.execute(ofTenant('c'))).rejects.toMatchObject({ code: 'overloaded' });
  await Promise.all(accepted);
  await engine.stop();
  rmSync(dataFolder, { recursive: true });
});

function ofTenant(tenant: string): Command {
  return { kind: 'cancel-run', caller: { tenant, principal: 'p' }, runId: 'nobody' };
}
