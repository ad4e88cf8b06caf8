import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startTestHost, type TestHost } from '../http/host.ts';
import { launch } from './launch.mjs';
import { HARMLESS, poisonous } from './workflows.ts';

/** The engine's thread is stopped by a run, and the process goes on. */

let host: TestHost;
beforeAll(async () => {
  host = await startTestHost({ builtinWorkflows: [HARMLESS, poisonous('stall')] }, [], {
    launch,
    watchdog: { everyMs: 250 },
  });
});
afterAll(() => host.stop());

/** A machine that is slow enough makes this watchdog restart an engine that is not poisoned: then it is asked again. */
async function start(): Promise<string> {
  const post = () => host.post('/v1/runs', { workflowId: 'poison-stall' });
  return (await until(post, ({ status }) => status !== 503)).body.runId;
}

/** Asks until the answer is as expected; the test's own time-out ends it. */
async function until<T>(ask: () => Promise<T>, fits: (answer: T) => boolean): Promise<T> {
  for (;;) {
    const answer = await ask().catch(() => undefined);
    if (answer !== undefined && fits(answer)) return answer;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const heldRuns = async () => (await host.get('/v1/host/held-runs')).body;

describe('a run that the engine does not come back from', () => {
  it('is held and named, and all other runs go on', async () => {
    const waiting = (await host.post('/v1/runs', { workflowId: 'harmless' })).body.runId;
    const runId = await start();
    const { runs } = await until(heldRuns, ({ total }) => total === 1);
    expect(runs).toMatchObject([{ runId, tenant: 'default', workflowId: 'poison-stall', reason: 'stalled' }]);
    expect((await host.run('harmless')).body.status).toBe('completed');
    expect((await host.get(`/v1/runs/${waiting}`)).body.status).toBe('completed');
    expect((await host.get('/readyz')).body).toEqual({ status: 'ready', heldRuns: 1 });
    const { text } = await host.get('/metrics');
    expect(text).toMatch(/^baton_held_runs 1$/m);
    expect(text).toMatch(/^baton_engine_restarts_total [1-9]/m);
    const snapshot = await host.get(`/v1/runs/${runId}`);
    expect(snapshot.body).toMatchObject({ status: 'running', held: { reason: 'stalled' } });
  });

  it('is refused while it is held, and ended for good when it is cancelled', async () => {
    const [{ runId }] = (await heldRuns()).runs;
    const paused = await host.post(`/v1/runs/${runId}:pause`, {});
    expect(paused).toMatchObject({ status: 409, body: { error: 'run_held' } });
    const cancelled = await host.post(`/v1/runs/${runId}/cancel`, {});
    expect(cancelled).toMatchObject({ status: 200, body: { status: 'failed' } });
    expect((await host.get(`/v1/runs/${runId}`)).body).toMatchObject({
      status: 'failed',
      error: { code: 'run_quarantined' },
    });
    expect((await heldRuns()).total).toBe(0);
  });

  it('goes on when it is released, and is held again if it stops the engine again', async () => {
    const runId = await start();
    await until(heldRuns, ({ total }) => total === 1);
    const first = (await heldRuns()).runs[0].heldAt;
    const released = await host.post(`/v1/host/held-runs/${runId}:release`, {});
    expect(released).toMatchObject({ status: 200, body: { runId, status: 'running' } });
    const { runs } = await until(heldRuns, ({ total }) => total === 1);
    expect(runs[0].runId).toBe(runId);
    expect(runs[0].heldAt > first).toBe(true);
    expect((await host.post('/v1/host/held-runs/nobody:release', {})).status).toBe(404);
    await host.post(`/v1/runs/${runId}/cancel`, {});
  });

  it('is tried no more once three runs of the same workflow are held', async () => {
    for (let n = 1; n <= 3; n += 1) {
      await start();
      await until(heldRuns, ({ total }) => total === n);
    }
    const refused = await host.post('/v1/runs', { workflowId: 'poison-stall' });
    expect(refused).toMatchObject({ status: 409, body: { error: 'run_held' } });
    for (const { runId } of (await heldRuns()).runs) await host.post(`/v1/runs/${runId}/cancel`, {});
    expect((await host.run('harmless')).body.status).toBe('completed');
  });
});

describe('a run that uses all memory of the engine', () => {
  it('is held at the third loss, and the process lives', async () => {
    // A watchdog that is never in time: the thread has to run out of memory.
    const parts = { launch, watchdog: { everyMs: 3_600_000 } };
    const own = await startTestHost({ builtinWorkflows: [HARMLESS, poisonous('memory')] }, [], parts);
    onTestFinished(() => own.stop());
    const { runId } = (await own.post('/v1/runs', { workflowId: 'poison-memory' })).body;
    const held = async () => (await own.get('/v1/host/held-runs')).body;
    const { runs } = await until(held, ({ total }) => total === 1);
    expect(runs).toMatchObject([{ runId, reason: 'lost' }]);
    // The memory can also run out between two pieces of work. Such a loss is counted against no tree.
    const [, restarts] = /^baton_engine_restarts_total (\d+)$/m.exec((await own.get('/metrics')).text) ?? [];
    expect(Number(restarts)).toBeGreaterThanOrEqual(3);
    expect((await own.run('harmless')).body.status).toBe('completed');
  });
});
