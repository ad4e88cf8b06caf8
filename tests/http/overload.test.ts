import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from '@baton/engine';
import { expect, it } from 'vitest';
import { launchEngineThread } from '../../packages/server/dist/thread/launch.js';
import { MAX_IN_FLIGHT, startThreadedEngine } from '../../packages/server/dist/thread/threaded-engine.js';

const probe: Command = { kind: 'toggle-capability', name: '__probe__', value: null };

it('turns callers away beyond its bound, and loses nothing that it accepted', async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'baton-overload-'));
  const engine = await startThreadedEngine(
    launchEngineThread({ dataFolder, alwaysReplay: false, confidenceFloor: 0.5 }),
    {
      vault: { secrets: new Map(), sealingKey: new Uint8Array(32) },
      effects: { perform: () => Promise.reject(new Error('unexpected')) },
      onFatal: (error) => expect.unreachable(error.message),
      onLog: () => undefined,
      onCommitted: () => undefined,
      onFresh: () => undefined,
    },
  );
  const accepted = Array.from({ length: MAX_IN_FLIGHT }, () => engine.execute(probe));
  await expect(engine.execute(probe)).rejects.toMatchObject({ code: 'overloaded', status: 503 });
  expect(engine.inFlight()).toBe(MAX_IN_FLIGHT);
  const replies = await Promise.all(accepted);
  expect(replies.every((reply) => reply.ok)).toBe(true);
  expect((await engine.execute(probe)).ok).toBe(true);
  await engine.stop();
  await expect(engine.execute(probe)).rejects.toMatchObject({ code: 'shutting_down' });
  rmSync(dataFolder, { recursive: true });
});
