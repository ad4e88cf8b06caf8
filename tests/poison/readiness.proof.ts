import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestHost, type TestHost } from '../http/host.ts';
import { launch } from './launch.mjs';
import { HARMLESS, poisonous } from './workflows.ts';

let host: TestHost;
beforeEach(async () => {
  host = await startTestHost({ builtinWorkflows: [HARMLESS, poisonous('stall')] }, [], {
    launch,
    watchdog: { everyMs: 400 },
  });
});
afterEach(() => host.stop());

const readiness = () => host.get('/readyz', { key: null });

/** Asks until the answer is as expected; the test's own time-out ends it. */
async function until(expected: number): Promise<unknown> {
  for (;;) {
    const { status, body } = await readiness();
    if (status === expected) return body;
  }
}

describe('`/readyz`', () => {
  it('says that the disk is full for as long as it is, and `/healthz` that the process is alive', async () => {
    const file = join(host.folder, 'disk-is-full');
    writeFileSync(file, '');
    expect((await host.post('/v1/runs', { workflowId: 'harmless' })).status).toBe(507);
    expect(await readiness()).toMatchObject({ status: 503, body: { status: 'storage-full' } });
    expect((await host.get('/healthz', { key: null })).status).toBe(200);
    rmSync(file);
    expect(await readiness()).toMatchObject({ status: 200, body: { status: 'ready' } });
  });

  it('says that the engine does not answer while it hangs, and that it is ready when it was replaced', async () => {
    expect(await readiness()).toMatchObject({ status: 200 });
    await host.post('/v1/runs', { workflowId: 'poison-stall' });
    expect(await until(503)).toEqual({ status: 'engine-not-answering' });
    expect(await until(200)).toMatchObject({ status: 'ready' });
  });
});
