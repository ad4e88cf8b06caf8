import { DebugBundle, problemWith } from '@baton/protocol';
import { afterAll, describe, expect, it } from 'vitest';
import { checkOfficialDocument } from '../../packages/conformance/src/testkit/official-schemas.ts';
import { ALL_SCOPES, startTestHost, type TestHost } from './host.ts';

const keys = [
  { token: 'stranger', tenant: 'other', scopes: [...ALL_SCOPES, 'runs:import'] },
  { token: 'reader', tenant: 'default', scopes: ['runs:read', 'runs:create'] },
];
const host = await startTestHost({}, keys);
afterAll(async () => {
  await host.stop();
  await other.stop();
});
const other = await startTestHost({ builtinWorkflows: [] }, keys);

// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came back
async function bundleOf(workflowId: string, body: object = {}): Promise<any> {
  const { runId } = (await host.run(workflowId, body)).body;
  const answer = await host.get(`/v1/runs/${runId}/debug-bundle`);
  expect(answer.status).toBe(200);
  return answer.body;
}

const SECRET = `sk-${'A1b2C3d4'.repeat(4)}`;
const REFERENCE = `cred_${'Opaque'.repeat(5)}`;

describe('a debug bundle', () => {
  it('has the form that other hosts know', async () => {
    const bundle = await bundleOf('loop');
    checkOfficialDocument('debug-bundle', bundle);
    expect(problemWith(DebugBundle, bundle)).toBeUndefined();
    const { events } = (await host.get(`/v1/runs/${bundle.run.runId}/events/poll`)).body;
    expect([bundle.events, bundle.metrics.eventCount]).toEqual([events, events.length]);
    expect(bundle).toMatchObject({ redactionApplied: false, redactionMode: 'mask' });
    expect(bundle.truncated).toBeUndefined();
    expect(bundle.baton.runs.map((run: { runId: string }) => run.runId)).toEqual([
      bundle.run.runId,
      `${bundle.run.runId}.1`,
    ]);
  });

  it.each([
    ['gate', 'waiting-approval', 'waiting-approval'],
    ['question', 'waiting-clarification', 'waiting-input'],
    ['delivery', 'running', 'waiting-external'],
  ])('of %s says %s, and exactly %s', async (workflowId, status, exact) => {
    const bundle = await bundleOf(workflowId);
    checkOfficialDocument('debug-bundle', bundle);
    expect(problemWith(DebugBundle, bundle)).toBeUndefined();
    expect([bundle.run.status, bundle.baton.status]).toEqual([status, exact]);
    expect(JSON.stringify(bundle)).not.toMatch(/interruptToken|callbackUrl/);
  });

  it('holds nothing that looks like credentials, wherever it stood', async () => {
    const bundle = await bundleOf('echo', {
      inputs: { payload: { key: SECRET }, userField: REFERENCE, note: `see ${REFERENCE}, please` },
    });
    const text = JSON.stringify(bundle);
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain(REFERENCE);
    expect(bundle.redactionApplied).toBe(true);
    expect(bundle.run.inputs).toMatchObject({ userField: '[REDACTED]', note: 'see [REDACTED], please' });
  });

  it('is nobody else’s', async () => {
    const { runId } = (await host.run('quick')).body;
    expect((await host.get(`/v1/runs/${runId}/debug-bundle`, { key: 'stranger' })).status).toBe(404);
    expect((await host.get('/v1/runs/nobody/debug-bundle')).status).toBe(404);
  });
});

describe('the import of a bundle', () => {
  const events = (at: TestHost, runId: string) => at.get(`/v1/runs/${runId}/events/poll`);

  it('makes the same runs, which can be read and audited', async () => {
    const bundle = await bundleOf('loop');
    const { runId } = bundle.run;
    const { status, body, headers } = await other.post('/v1/runs:import', bundle);
    expect([status, body]).toEqual([201, { runId: body.runId, from: runId, runs: 2, verified: true }]);
    expect(body.runId).not.toBe(runId);
    expect(headers.get('location')).toBe(`/v1/runs/${body.runId}`);
    for (const id of ['', '.1']) {
      // The same but for the name, and for what says where it comes from.
      const renamed = (answer: unknown) => JSON.parse(JSON.stringify(answer).replaceAll(runId, body.runId));
      expect((await events(other, body.runId + id)).body).toEqual(
        renamed((await events(host, runId + id)).body),
      );
      const { imported, traceId, ...here } = (await other.get(`/v1/runs/${body.runId}${id}`)).body;
      const { traceId: traceThere, ...there } = (await host.get(`/v1/runs/${runId}${id}`)).body;
      expect(here).toEqual(renamed(there));
      // A run that was started without a trace has one that follows from its name.
      expect(traceId).not.toBe(traceThere);
      expect(imported).toMatchObject({ from: runId + id, by: 'operator' });
      expect((await other.get(`/v1/audit/verify?runId=${body.runId}${id}`)).body).toMatchObject({
        ok: true,
        checked: { unchained: 0, imported: 1, unvouched: 1 },
        imported: { from: runId + id },
      });
    }
    const { runs } = (await other.get('/v1/runs')).body;
    expect(runs).toMatchObject([{ imported: { from: `${runId}.1` } }, { imported: { from: runId } }]);
    expect((await other.get('/v1/workflows')).body.workflows).toEqual([]);
    expect((await other.post(`/v1/runs/${body.runId}:pause`, {})).body.error).toBe('run_terminal');
  });

  it('belongs to the tenant that imports it, whoever exported it', async () => {
    const bundle = await bundleOf('quick');
    const theirs = await other.post('/v1/runs:import', bundle, { key: 'stranger' });
    const { runId } = theirs.body;
    expect((await other.get(`/v1/runs/${runId}`, { key: 'stranger' })).body.owner.tenant).toBe('other');
    expect((await other.get(`/v1/runs/${runId}`)).status).toBe(404);
    // Nobody learns from it that another tenant has the same run, or that they have it themselves.
    for (const key of ['operator-key-for-tests', 'operator-key-for-tests', 'stranger']) {
      const again = await other.post('/v1/runs:import', bundle, { key });
      expect([again.status, again.body]).toEqual([201, { ...theirs.body, runId: again.body.runId }]);
    }
  });

  it('takes in what was masked, and says that it cannot vouch for all of it', async () => {
    const bundle = await bundleOf('echo', { inputs: { payload: { key: SECRET } } });
    const { status, body } = await other.post('/v1/runs:import', bundle);
    expect([status, body.verified]).toEqual([201, false]);
    expect((await other.get(`/v1/audit/verify?runId=${body.runId}`)).body.ok).toBe(true);
  });

  it('answers a repeated request as it did the first time', async () => {
    const bundle = await bundleOf('quick');
    const headers = { 'idempotency-key': 'import-1' };
    const first = await other.post('/v1/runs:import', bundle, { headers });
    const second = await other.post('/v1/runs:import', bundle, { headers });
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.headers.get('openwop-idempotent-replay')).toBe('true');
  });

  it('needs a key that may import', async () => {
    const { body } = await other.post('/v1/runs:import', await bundleOf('quick'), { key: 'reader' });
    expect(body).toMatchObject({ error: 'forbidden', details: { scope: 'runs:import' } });
  });

  // biome-ignore lint/suspicious/noExplicitAny: bundles are taken apart here
  it.each<[string, number, string, (bundle: any) => void]>([
    ['is nothing', 400, 'validation_error', (bundle) => delete bundle.events],
    ['is of another form', 400, 'validation_error', (bundle) => (bundle.baton.format = 2)],
    [
      'names a run in a way that no host does',
      400,
      'validation_error',
      (bundle) => (bundle.run.runId = '../x'),
    ],
    ['is not a Baton’s', 422, 'bundle_invalid', (bundle) => delete bundle.baton],
    ['was cut off', 422, 'bundle_invalid', (bundle) => (bundle.truncated = true)],
    ['lacks a child', 422, 'bundle_invalid', (bundle) => bundle.baton.runs.shift()],
    ['lacks an event', 422, 'bundle_invalid', (bundle) => bundle.events.splice(2, 1)],
    ['lacks the last event', 422, 'bundle_invalid', (bundle) => bundle.events.pop()],
    [
      'has a changed event',
      422,
      'bundle_invalid',
      (bundle) => (bundle.events[0].timestamp = '2026-01-01T00:00:00.000Z'),
    ],
    [
      'has a changed child',
      422,
      'bundle_invalid',
      (bundle) => (bundle.baton.runs[1].events[0].payload.inputs = { x: 1 }),
    ],
    ['has events in another order', 422, 'bundle_invalid', (bundle) => bundle.events.reverse()],
    [
      'has an event of no schema',
      422,
      'bundle_invalid',
      (bundle) => (bundle.events[1].payload = { nonsense: true }),
    ],
    ['has a forged link', 422, 'bundle_invalid', (bundle) => (bundle.baton.runs[0].chain = '0'.repeat(64))],
    ['claims another end', 422, 'bundle_invalid', (bundle) => (bundle.baton.runs[0].status = 'failed')],
    ['lacks a definition', 422, 'bundle_invalid', (bundle) => (bundle.baton.definitions = {})],
    [
      'has another definition',
      422,
      'bundle_invalid',
      (bundle) => {
        for (const definition of Object.values<{ name?: string }>(bundle.baton.definitions))
          definition.name = 'x';
      },
    ],
    [
      'has its own idea of its tree',
      422,
      'bundle_invalid',
      (bundle) => (bundle.baton.runs[1].parentRunId = bundle.baton.runs[1].runId),
    ],
  ])('is refused when it %s', async (_what, status, error, change) => {
    const bundle = await bundleOf('loop');
    change(bundle);
    const answer = await other.post('/v1/runs:import', bundle);
    expect([answer.status, answer.body.error]).toEqual([status, error]);
    const { runId } = bundle.run;
    if (/^[\w-]+$/.test(runId)) expect((await other.get(`/v1/runs/${runId}`)).status).toBe(404);
  });

  it('is refused while the run goes on', async () => {
    const { status, body } = await other.post('/v1/runs:import', await bundleOf('gate'));
    expect([status, body.error]).toEqual([422, 'bundle_invalid']);
    expect(body.message).toContain('has not ended');
  });

  it('is refused for a child alone, and says whose to take', async () => {
    const { runId } = (await host.run('loop')).body;
    const bundle = (await host.get(`/v1/runs/${runId}.1/debug-bundle`)).body;
    expect((await other.post('/v1/runs:import', bundle)).body).toMatchObject({
      error: 'bundle_invalid',
      details: { rootId: runId },
    });
  });
});
