import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CapabilityDocument, ErrorEnvelope, problemWith } from '@baton/protocol';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { checkOfficialDocument } from '../../packages/conformance/src/testkit/official-schemas.ts';
import { verifies } from '../verifies.ts';
import { sharedHost, startTestHost, type TestHost } from './host.ts';

let host: TestHost;
beforeAll(async () => {
  host = await sharedHost();
});
afterAll(() => host.stop());

describe('the discovery document', () => {
  it('is what its schema says', async () => {
    const { body, headers } = await host.get('/.well-known/openwop', { key: null });
    expect(problemWith(CapabilityDocument, body)).toBeUndefined();
    expect(headers.get('cache-control')).toBeTruthy();
  });

  it('is what the protocol says, when its schemas are at hand', async () => {
    const { body } = await host.get('/.well-known/openwop');
    expect(() => checkOfficialDocument('capabilities', body)).not.toThrow();
    expect(Number.isInteger(body.engineVersion)).toBe(true);
  });

  it('shows every family at the root and under capabilities', async () => {
    verifies('CAP-01', 'CAP-05', 'CAP-12', 'CONF-15', 'MEM-08', 'READ-03', 'READ-04');
    const { body } = await host.get('/.well-known/openwop');
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

  it('has what every version of the execution model up to its own asks for', async () => {
    verifies('CAP-02', 'CAP-03', 'CAP-04', 'CAP-06', 'CAP-07');
    const { body } = await host.get('/.well-known/openwop');
    const { version, crossHostCausation, replayDeterminism, verifier, ...model } =
      body.multiAgent.executionModel;
    expect(version).toBe(6);
    expect(crossHostCausation.supported && crossHostCausation.hostId.length > 0).toBe(true);
    expect(typeof crossHostCausation.ancestryEndpointSupported).toBe('boolean');
    expect(replayDeterminism).toMatchObject({ supported: true, refusalDivergenceEmission: true });
    expect(typeof model.statefulResume).toBe('boolean');
    expect(model.transcriptWindow).toBeGreaterThanOrEqual(1);
    expect(Object.keys(verifier).sort()).toEqual(['gating', 'supported']);
  });

  it('has the same host id after a restart, and it is the one of the ancestry of its runs', async () => {
    verifies('XHOST-09', 'XHOST-14');
    const dataFolder = mkdtempSync(join(tmpdir(), 'baton-discovery-'));
    onTestFinished(() => rmSync(dataFolder, { recursive: true, force: true }));
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

  it('claims that replays are deterministic together with version 4, and not before', async () => {
    verifies('REPLAY-02', 'REPLAY-07');
    const { version, replayDeterminism } = (await host.get('/.well-known/openwop')).body.multiAgent
      .executionModel;
    expect(replayDeterminism).toEqual(
      version < 4
        ? undefined
        : { supported: true, llmCacheKeyRecipe: 'spec-rfc-0041', refusalDivergenceEmission: true },
    );
  });

  it('says as booleans which mappings it honours', async () => {
    verifies('CAP-08', 'READ-29');
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

  it('says that the outputs of sub-runs can be attested', async () => {
    verifies('CAP-09');
    const { body } = await host.get('/.well-known/openwop');
    expect(body.agents.subRunAttestation).toBe(true);
    expect(body.capabilities.agents.subRunAttestation).toBe(true);
  });

  it('promises nothing that only the seams can do', async () => {
    const { body, text } = await host.get('/.well-known/openwop');
    expect(body.fixtures).toBeUndefined();
    expect(body.conformance).toBeUndefined();
    expect(text).not.toContain('"edit"');
  });

  it('answers a second look with 304', async () => {
    const etag = (await host.get('/.well-known/openwop')).headers.get('etag')!;
    const again = await host.get('/.well-known/openwop', { headers: { 'if-none-match': etag } });
    expect(again.status).toBe(304);
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
  it('describes every route with its real address', async () => {
    const { status, body } = await host.get('/v1/openapi.json', { key: null });
    expect(status).toBe(200);
    expect(body.openapi).toMatch(/^3\.1/);
    expect(Object.keys(body.paths).sort()).toEqual([
      '/.well-known/agent-card.json',
      '/.well-known/openwop',
      '/healthz',
      '/metrics',
      '/readyz',
      '/v1/a2a',
      '/v1/a2a/agent.json',
      '/v1/a2a/pushed/{runId}',
      '/v1/agents',
      '/v1/agents/{agentId}',
      '/v1/agents/{agentId}/messages',
      '/v1/agents/{agentId}/tools',
      '/v1/audit/key',
      '/v1/audit/verify',
      '/v1/host',
      '/v1/host/held-runs',
      '/v1/host/held-runs/{runId}:release',
      '/v1/host/keys',
      '/v1/host/secrets:rotate',
      '/v1/host/workspace/files',
      '/v1/host/workspace/files/{path}',
      '/v1/hosts',
      '/v1/interrupts',
      '/v1/interrupts/{token}',
      '/v1/mcp',
      '/v1/memory',
      '/v1/memory/{scopeId}',
      '/v1/models',
      '/v1/peers',
      '/v1/runs',
      '/v1/runs/{runId}',
      '/v1/runs/{runId}/ancestry',
      '/v1/runs/{runId}/approvals/{nodeId}',
      '/v1/runs/{runId}/artifacts/{artifactId}',
      '/v1/runs/{runId}/attestations',
      '/v1/runs/{runId}/cancel',
      '/v1/runs/{runId}/debug-bundle',
      '/v1/runs/{runId}/diff',
      '/v1/runs/{runId}/events',
      '/v1/runs/{runId}/events/poll',
      '/v1/runs/{runId}/interrupts/{nodeId}',
      '/v1/runs/{runId}/state',
      '/v1/runs/{runId}/tree/events',
      '/v1/runs/{runId}:diff',
      '/v1/runs/{runId}:erase',
      '/v1/runs/{runId}:fork',
      '/v1/runs/{runId}:pause',
      '/v1/runs/{runId}:resume',
      '/v1/runs/{runId}:retry',
      '/v1/runs:bulk-cancel',
      '/v1/runs:import',
      '/v1/runs:stats',
      '/v1/runs:watch',
      '/v1/secrets',
      '/v1/secrets/{name}',
      '/v1/session',
      '/v1/session/codes',
      '/v1/session/oidc',
      '/v1/session/oidc/callback',
      '/v1/session/ways',
      '/v1/usage',
      '/v1/usage/history',
      '/v1/webhooks',
      '/v1/webhooks/{webhookId}',
      '/v1/webhooks/{webhookId}/dead-letters',
      '/v1/webhooks/{webhookId}/dead-letters:redeliver',
      '/v1/webhooks/{webhookId}/deliveries',
      '/v1/webhooks/{webhookId}:pause',
      '/v1/webhooks/{webhookId}:ping',
      '/v1/webhooks/{webhookId}:resume',
      '/v1/webhooks/{webhookId}:rotate',
      '/v1/workflows',
      '/v1/workflows/{workflowId}',
      '/v1/workflows/{workflowId}/versions',
      '/v1/workflows:validate',
    ]);
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

it('keeps to the error envelope', async () => {
  verifies('READ-27');
  const { body } = await host.get('/v1/runs/no-such-run');
  expect(problemWith(ErrorEnvelope, body)).toBeUndefined();
});

it('advertises the floor of the operator, and keeps to it', async () => {
  verifies('CONF-09', 'CONF-14');
  const strict = await startTestHost({
    confidenceFloor: 0.9,
    builtinWorkflows: [
      {
        id: 'unsure',
        nodes: [
          {
            id: 'supervisor',
            typeId: 'core.orchestrator.supervisor',
            config: { mockDispatchPlan: [{ kind: 'terminate', confidence: 0.8 }] },
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
