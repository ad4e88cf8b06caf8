import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, describe, expect, it } from 'vitest';
import { emptyFolder } from '../empty-folder.ts';
import { startTestHost } from './host.ts';

/** A host whose data folder was changed while it was stopped: the first event of two runs is another one. */

const WORKFLOWS = [
  { id: 'quick', nodes: [{ id: 'only', typeId: 'core.noop' }] },
  { id: 'gate', nodes: [{ id: 'gate', typeId: 'core.approvalGate' }] },
];
const OF_RUN = 'run_no = (SELECT run_no FROM runs WHERE run_id = ?)';

const folder = emptyFolder();

const before = await startTestHost({ dataFolder: folder, builtinWorkflows: WORKFLOWS });
const ended: string = (await before.run('quick')).body.runId;
const sound: string = (await before.run('quick')).body.runId;
const { runId, interrupt } = (await before.run('gate')).body;
const waiting: string = runId;
/** Waits too, and its log was changed too. */
const asked: string = (await before.run('gate')).body.runId;
const link: string = interrupt.callbackUrl;
await before.stop();
const database = new Database(join(folder, 'baton.db'));
for (const id of [ended, waiting, asked]) {
  database.prepare(`DELETE FROM checkpoints WHERE ${OF_RUN}`).run(id);
  database
    .prepare(
      `UPDATE events SET data = replace(data, 'run.started', 'run.paused') WHERE seq = 0 AND ${OF_RUN}`,
    )
    .run(id);
}
database.close();
const host = await startTestHost({ dataFolder: folder, builtinWorkflows: WORKFLOWS });
afterAll(async () => {
  await host.stop({ holdsForgeries: true });
});

describe('a run whose stored log was changed so that it has no state', () => {
  const reads = (runId: string) => [
    `/v1/runs/${runId}`,
    `/v1/runs/${runId}/state`,
    `/v1/runs/${runId}/state?at=2`,
    `/v1/runs/${runId}/diff?against=${sound}`,
    `/v1/runs/${sound}/diff?against=${runId}`,
    `/v1/runs/${runId}/debug-bundle`,
    `/v1/runs/${runId}/attestations`,
    `/v1/runs/${runId}/artifacts/any`,
  ];

  it('is refused to every reader with a code that says so', async () => {
    for (const path of [...reads(ended), ...reads(waiting), link]) {
      const { status, body } = await host.get(path);
      expect([path, status, body.error]).toEqual([path, 409, 'run_unreadable']);
      expect([ended, waiting]).toContain(body.details.runId);
      expect(body.message).toContain('baton verify');
    }
    const stream = { headers: { accept: 'text/event-stream' } };
    const values = await host.get(`/v1/runs/${ended}/events?streamMode=values`, stream);
    expect([values.status, values.body.error]).toEqual([409, 'run_unreadable']);
  });

  it('is refused to those who fork it or answer it by a link, and stays as it is', async () => {
    for (const id of [ended, waiting]) {
      const forked = await host.post(`/v1/runs/${id}:fork`, { mode: 'branch', fromSeq: 2 });
      expect([forked.status, forked.body.error]).toEqual([409, 'run_unreadable']);
    }
    const answered = await host.post(link, { resumeValue: { action: 'accept' } });
    expect([answered.status, answered.body.error]).toEqual([409, 'run_unreadable']);
    const { runs } = (await host.get('/v1/runs?status=waiting-approval')).body;
    expect(runs).toMatchObject([{ runId: asked }, { runId: waiting }]);
  });

  it('is named by the audit, and leaves the other runs alone', async () => {
    const { findings } = (await host.get('/v1/audit/verify')).body;
    expect(new Set(findings.map((one: { runId: string }) => one.runId))).toEqual(
      new Set([ended, waiting, asked]),
    );
    expect((await host.get(`/v1/runs/${sound}`)).body.status).toBe('completed');
    expect((await host.run('quick')).body.status).toBe('completed');
  });

  it('is set aside once something happens to it, and the caller is told that', async () => {
    const cancelled = await host.post(`/v1/runs/${waiting}/cancel`);
    expect([cancelled.status, cancelled.body.error]).toEqual([409, 'run_unreadable']);
    expect(cancelled.body.details).toEqual({ runId: waiting });
    const answered = await host.post(`/v1/runs/${asked}/interrupts/gate`, {
      resumeValue: { action: 'accept' },
    });
    expect([answered.status, answered.body.error]).toEqual([409, 'run_unreadable']);
    const { runs } = (await host.get('/v1/runs?status=failed')).body;
    expect(runs.map(({ runId }: { runId: string }) => runId).sort()).toEqual([waiting, asked].sort());
    expect((await host.run('quick')).body.status).toBe('completed');
  });
});
