import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, describe, expect, it } from 'vitest';
import { ALL_SCOPES, sharedHost } from './host.ts';

const PERSONAL = 'Ada Lovelace, 10 December 1815';
const variables = [{ name: 'text', type: 'string', defaultValue: PERSONAL }];
const WORKFLOWS = [
  { id: 'writer', nodes: [{ id: 'write', typeId: 'core.noop' }], variables },
  {
    id: 'parent',
    nodes: [
      {
        id: 'call',
        typeId: 'core.subWorkflow',
        config: { workflowId: 'writer', outputMapping: { text: 'text' } },
      },
    ],
    variables: [{ name: 'text', type: 'string' }],
  },
  { id: 'gate', nodes: [{ id: 'gate', typeId: 'core.approvalGate' }] },
];
const host = await sharedHost({ workflows: WORKFLOWS }, [
  { token: 'stranger', tenant: 'other', scopes: [...ALL_SCOPES, 'runs:erase'] },
  { token: 'runner', tenant: 'default', scopes: ALL_SCOPES },
]);
afterAll(() => host.stop());

const erase = (runId: string, body: object = { reason: 'asked to' }, key?: string) =>
  host.post(`/v1/runs/${runId}:erase`, body, key === undefined ? {} : { key });

async function ended(workflowId: string, body: object = {}): Promise<string> {
  const answer = await host.run(workflowId, body);
  expect(answer.body.status).toBe('completed');
  return answer.body.runId;
}

const log = async (runId: string) => (await host.get(`/v1/runs/${runId}/events/poll`)).body;

/** The audit, once the host has signed what it did. */
const audit = (runId: string) => host.get(`/v1/audit/verify?runId=${runId}`);
const signed = (runId: string) => expect.poll(async () => (await audit(runId)).body.checked.unsigned).toBe(0);

/** What is left of a run that is no longer kept: its row. */
function forget(runId: string): void {
  const database = new Database(`${host.folder}/baton.db`);
  const of = 'run_no = (SELECT run_no FROM runs WHERE run_id = ?)';
  database.prepare(`DELETE FROM events WHERE ${of}`).run(runId);
  database.prepare('UPDATE runs SET purged_at = 1, erased_at = NULL WHERE run_id = ?').run(runId);
  database.close();
}

describe('an erased run', () => {
  it('keeps its envelopes, and holds nothing of what it held', async () => {
    const runId = await ended('parent', { inputs: { note: PERSONAL }, tags: ['ada'] });
    await signed(runId);
    const before = await log(runId);
    expect(await erase(runId)).toMatchObject({ status: 200, body: { runId, erased: true, runs: 2 } });

    for (const id of [runId, `${runId}.1`]) {
      const { events, isComplete } = await log(id);
      expect(isComplete).toBe(true);
      for (const event of events) {
        expect(event.payload).toEqual({ erased: true, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
      }
      const { status, body, text } = await host.get(`/v1/runs/${id}`);
      expect([status, body.erased, body.status, body.runId]).toEqual([200, true, 'completed', id]);
      expect(text).not.toContain('Ada');
      expect((await audit(id)).body).toMatchObject({ ok: true, checked: { unsigned: 0, unchained: 0 } });
    }
    const { events } = await log(runId);
    const envelope = ({ payload: _, ...rest }: { payload: unknown }) => rest;
    expect(events.map(envelope)).toEqual(before.events.map(envelope));
    expect((await host.get('/v1/runs?tag=ada')).body.runs).toEqual([]);
  });

  it('is nowhere in the files of the host', async () => {
    const marker = `marker${Math.random().toString(36).slice(2)}`;
    const runId = await ended('writer', { inputs: { note: marker } });
    const holders = () =>
      readdirSync(host.folder).filter((name) => readFileSync(join(host.folder, name)).includes(marker));
    expect(holders()).not.toEqual([]);
    await erase(runId);
    expect(holders()).toEqual([]);
  });

  it('still shows that something was changed', async () => {
    const runId = await ended('writer');
    await signed(runId);
    await erase(runId);
    const database = new Database(`${host.folder}/baton.db`);
    const change = (from: string, to: string) =>
      database
        .prepare(
          `UPDATE events SET data = replace(data, ?, ?)
           WHERE run_no = (SELECT run_no FROM runs WHERE run_id = ?)`,
        )
        .run(from, to, runId);
    change('node.completed', 'node.forgotten');
    expect((await audit(runId)).body.findings).toMatchObject([{ what: 'event-changed', runId }]);
    change('node.forgotten', 'node.completed');
    expect((await audit(runId)).body.ok).toBe(true);
    database
      .prepare(
        "UPDATE erasures SET reason = 'because' WHERE run_no IN (SELECT run_no FROM runs WHERE run_id = ?)",
      )
      .run(runId);
    expect((await audit(runId)).body.findings).toMatchObject([{ what: 'erasure-changed', runId }]);
    database
      .prepare('DELETE FROM erasures WHERE run_no IN (SELECT run_no FROM runs WHERE run_id = ?)')
      .run(runId);
    expect((await audit(runId)).body.findings).toMatchObject([{ what: 'event-changed', runId }]);
    database.close();
  });

  it('cannot be built on', async () => {
    const runId = await ended('writer');
    await erase(runId);
    for (const path of ['debug-bundle', 'attestations', 'artifacts/a']) {
      const { status, body } = await host.get(`/v1/runs/${runId}/${path}`);
      expect([path, status, body.error]).toEqual([path, 410, 'run_erased']);
    }
  });

  it('has no questions left: a link to one of them says that it is gone', async () => {
    const { runId } = (await host.run('gate')).body;
    const { callbackUrl } = (await host.get(`/v1/runs/${runId}`)).body.interrupt;
    const accept = { resumeValue: { action: 'accept' } };
    expect((await host.get(callbackUrl, { key: null })).status).toBe(200);
    expect((await host.post(callbackUrl, accept, { key: null })).status).toBe(200);
    for (const when of ['ended', 'erased', 'purged']) {
      if (when === 'erased') await erase(runId);
      if (when === 'purged') forget(runId);
      const looked = await host.get(callbackUrl, { key: null });
      expect([when, looked.status, looked.body.error]).toEqual([when, 410, 'interrupt_gone']);
      const answered = await host.post(callbackUrl, accept, { key: null });
      expect([when, answered.status, answered.body.error]).toEqual([when, 410, 'interrupt_gone']);
    }
  });

  it('is erased once, however often it is asked for', async () => {
    const runId = await ended('writer');
    await erase(runId);
    const events = await log(runId);
    expect((await erase(runId)).status).toBe(200);
    expect(await log(runId)).toEqual(events);
    const headers = { 'idempotency-key': `erase-${runId}` };
    for (const replayed of [null, 'true']) {
      const again = await host.post(`/v1/runs/${runId}:erase`, { reason: 'again' }, { headers });
      expect([again.status, again.headers.get('openwop-idempotent-replay')]).toEqual([200, replayed]);
    }
  });
});

describe('an erasure', () => {
  it('is refused for a run that has not ended, for a child, and without a reason', async () => {
    const waiting = (await host.run('gate')).body.runId;
    expect((await erase(waiting)).body).toMatchObject({
      error: 'run_state_conflict',
      details: { runStatus: 'waiting-approval' },
    });
    const runId = await ended('parent');
    expect((await erase(`${runId}.1`)).body).toMatchObject({
      error: 'validation_error',
      details: { rootId: runId },
    });
    for (const body of [{}, { reason: '' }, { reason: 'x', more: 1 }])
      expect((await erase(runId, body)).status).toBe(400);
    expect((await log(`${runId}.1`)).events[0].payload.erased).toBeUndefined();
  });

  it('is for those who may, of their own runs', async () => {
    const runId = await ended('writer');
    expect((await erase(runId, undefined, 'runner')).body).toMatchObject({
      details: { scope: 'runs:erase' },
    });
    expect((await erase(runId, undefined, 'stranger')).status).toBe(404);
    expect((await log(runId)).events[0].payload.erased).toBeUndefined();
  });
});
