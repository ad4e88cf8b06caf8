import { DebugBundle, problemWith } from '@baton/protocol';
import { afterAll, describe, expect, it } from 'vitest';
import { checkOfficialDocument } from '../../packages/conformance/src/testkit/official-schemas.ts';
import { ALL_SCOPES, startTestHost } from './host.ts';

const host = await startTestHost({}, [{ token: 'stranger', tenant: 'other', scopes: ALL_SCOPES }]);
afterAll(() => host.stop());

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
