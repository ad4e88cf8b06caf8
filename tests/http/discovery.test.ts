import { ErrorEnvelope, problemWith } from '@baton/protocol';
import { afterAll, describe, expect, it } from 'vitest';
import { checkOfficialDocument } from '../../packages/conformance/src/testkit/official-schemas.ts';
import { emptyFolder } from '../empty-folder.ts';
import { verifies } from '../verifies.ts';
import { sharedHost, startTestHost } from './host.ts';

const host = await sharedHost();
afterAll(() => host.stop());

describe('the discovery document', () => {
  it('is what the protocol says, when its schemas are at hand', async () => {
    const { body, headers } = await host.get('/.well-known/openwop');
    expect(() => checkOfficialDocument('capabilities', body)).not.toThrow();
    expect(headers.get('cache-control')).toBeTruthy();
    expect(Number.isInteger(body.engineVersion)).toBe(true);
  });

  it('shows every family at the root and under capabilities', async () => {
    verifies('CAP-01', 'CAP-02', 'CAP-03', 'CAP-04', 'CAP-05', 'CAP-06', 'CAP-07', 'CAP-09', 'CAP-12');
    verifies('CONF-15', 'MEM-08', 'READ-03', 'READ-04', 'REPLAY-02', 'REPLAY-07');
    const { body } = await host.get('/.well-known/openwop');
    expect(body.agents.subRunAttestation).toBe(true);
    for (const [family, value] of Object.entries(body.capabilities)) expect(body[family]).toEqual(value);
    expect(body.multiAgent.executionModel).toEqual({
      supported: true,
      version: 6,
      confidenceEscalationFloor: 0.5,
      confidenceEscalationInterruptKind: 'approval',
      crossChildMemoryConcurrency: 'strict',
      crossHostCausation: {
        supported: true,
        hostId: expect.stringMatching(/^host-[0-9a-f]{16}$/),
        ancestryEndpointSupported: true,
      },
      replayDeterminism: {
        supported: true,
        llmCacheKeyRecipe: 'spec-rfc-0041',
        refusalDivergenceEmission: true,
      },
      statefulResume: true,
      transcriptWindow: 200,
      verifier: { supported: true, gating: true },
    });
    expect(body.supportedEnvelopes).toContain('clarification.request');
  });

  it('has the same host id after a restart, and it is the one of the ancestry of its runs', async () => {
    verifies('XHOST-09', 'XHOST-14');
    const dataFolder = emptyFolder();
    const ids: string[] = [];
    for (let start = 0; start < 2; start += 1) {
      const again = await startTestHost({ dataFolder });
      const { version, crossHostCausation } = (await again.get('/.well-known/openwop')).body.multiAgent
        .executionModel;
      expect(version).toBeGreaterThanOrEqual(3);
      const { runId } = (await again.run('quick')).body;
      const { body } = await again.get(`/v1/runs/${runId}/ancestry`);
      expect(body).toEqual({ runId, hostId: crossHostCausation.hostId, parent: null });
      ids.push(crossHostCausation.hostId);
      await again.stop();
    }
    expect(ids[0]).toBe(ids[1]);
  });

  it('CAP-08 READ-29 says as booleans which mappings it honours', async () => {
    const { body } = await host.get('/.well-known/openwop');
    expect([body.agents.dispatchMapping, body.subWorkflow.inputMapping]).toEqual([true, true]);
    expect(body.agents).toMatchObject({ orchestrator: true, dispatch: true });
    expect(Object.keys(body.subWorkflow)).toEqual(['inputMapping']);
  });

  it('says which scopes a role stands for, and that it denies what is not clear', async () => {
    const { body } = await host.get('/.well-known/openwop');
    expect(body.authorization).toMatchObject({ supported: true, failClosed: true });
    const { roles } = body.authorization;
    expect(roles.map(({ role }: { role: string }) => role)).toEqual([
      'operator',
      'author',
      'runner',
      'approver',
      'viewer',
      'auditor',
    ]);
    expect(roles.at(-1)).toEqual({ role: 'auditor', scopes: ['runs:read', 'audit:read'] });
  });

  it('promises nothing that only the seams can do', async () => {
    const { body, text } = await host.get('/.well-known/openwop');
    expect(body.fixtures).toBeUndefined();
    expect(body.conformance).toBeUndefined();
    expect(text).not.toContain('"edit"');
  });

  it('answers a second look with 304', async () => {
    const etag = (await host.get('/.well-known/openwop')).headers.get('etag')!;
    expect((await host.get('/.well-known/openwop', { headers: { 'if-none-match': etag } })).status).toBe(304);
  });
});

describe('what is advertised', () => {
  const remember = (content: string) => ({
    id: `remember-${content.length}`,
    nodes: [{ id: 'note', typeId: 'vendor.baton.memory.write', config: { key: 'k', content } }],
  });

  it('holds: an entry may be as large as it says, and no larger', async () => {
    const { memory } = (await host.get('/.well-known/openwop')).body;
    expect(memory).toMatchObject({ supported: true, writable: true, ttlSupported: true });
    expect(memory.search).toEqual({ supported: true, modes: ['filter'] });
    const status = async (bytes: number) => {
      const definition = remember('x'.repeat(bytes));
      expect((await host.post('/v1/workflows', definition)).status).toBe(201);
      return (await host.run(definition.id)).body;
    };
    expect(await status(memory.maxEntrySizeBytes)).toMatchObject({ status: 'completed' });
    expect(await status(memory.maxEntrySizeBytes + 1)).toMatchObject({
      status: 'failed',
      error: { code: 'memory_too_large' },
    });
  });

  it('holds: runs can be forked in every mode, and what is shown of a write has its author', async () => {
    const { replay, memory } = (await host.get('/.well-known/openwop')).body;
    expect(replay).toMatchObject({ supported: true, sideEffectSuppression: 'recorded-outcome' });
    expect(replay.modes).toEqual(['replay', 'branch']);
    expect(memory.attribution).toEqual({ supported: true, emitsWriteEvents: true });
    await host.post('/v1/workflows', remember('here'));
    const { runId } = (await host.run('remember-4')).body;
    const { events } = (await host.get(`/v1/runs/${runId}/events`)).body;
    const written = events.find(({ type }: { type: string }) => type === 'memory.written');
    expect(written.payload).toMatchObject({ memoryId: 'k', nodeId: 'note' });
    for (const mode of replay.modes) {
      expect((await host.post(`/v1/runs/${runId}:fork`, { mode, fromSeq: 1 })).status).toBe(201);
    }
  });
});

describe('the API description', () => {
  it('is public, and says who may call a route', async () => {
    const { status, body } = await host.get('/v1/openapi.json', { key: null });
    expect(status).toBe(200);
    expect(body.openapi).toMatch(/^3\.1/);
    expect(body.paths['/v1/runs'].post.security).toEqual([{ key: [] }, { session: [] }]);
    expect(body.paths['/healthz'].get.security).toEqual([]);
  });
});

describe('operations', () => {
  it('says that it is alive and ready', async () => {
    expect((await host.get('/healthz', { key: null })).body).toEqual({ status: 'ok' });
    expect((await host.get('/readyz', { key: null })).body).toEqual({
      status: 'ready',
      heldRuns: 0,
    });
  });

  it('counts what it does', async () => {
    const { runId } = (await host.run('quick')).body;
    await host.get(`/v1/runs/${runId}`);
    await host.get('/v1/workflows/quick');
    await host.get('/v1/no-such-thing');
    const { text } = await host.get('/metrics', { key: null });
    // It is read without a key, so it names nothing of a tenant.
    for (const name of [runId, '"quick"', 'workflows/quick', 'tenant=']) expect(text).not.toContain(name);
    expect(text).toMatch(/^baton_runs_created_total [1-9]/m);
    expect(text).toMatch(/^baton_events_committed_total [1-9]/m);
    expect(text).toMatch(/^baton_sse_clients 0/m);
    expect(text).toMatch(/^baton_engine_queue 0/m);
    expect(text).toContain('route="/v1/runs",status="201"');
    expect(text).not.toContain('no-such-thing');
    expect(text).toContain('process_cpu_seconds_total');
  });
});

it('READ-27 keeps to the error envelope', async () => {
  const { body } = await host.get('/v1/runs/no-such-run');
  expect(problemWith(ErrorEnvelope, body)).toBeUndefined();
});

it('CONF-09 CONF-14 advertises the floor of the operator, and keeps to it', async () => {
  const strict = await startTestHost({
    confidenceFloor: 0.9,
    builtinWorkflows: [
      {
        id: 'unsure',
        nodes: [
          {
            id: 'supervisor',
            typeId: 'core.orchestrator.supervisor',
            config: { script: [{ kind: 'terminate', confidence: 0.8 }] },
          },
        ],
      },
    ],
  });
  const { body } = await strict.get('/.well-known/openwop');
  const model = body.multiAgent.executionModel;
  const run = await strict.run('unsure');
  await strict.stop();
  expect(model.confidenceEscalationFloor).toBe(0.9);
  expect(run.body.status).toBe('waiting-approval');
  expect(run.body.interrupt.kind).toBe(model.confidenceEscalationInterruptKind);
});
