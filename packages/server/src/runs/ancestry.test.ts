import type { RunRow } from '@baton/engine/ports';
import type { RunOrigin } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../tests/verifies.ts';
import { parentOf } from './ancestry.ts';

const origin: RunOrigin = {
  cause: 'a2a-message',
  hostId: 'host-acme',
  runId: 'run-of-acme',
  causationId: 'run-of-acme:7',
  wellKnownUrl: 'https://acme.example/.well-known/openwop',
};

const row = (more: Partial<RunRow> = {}): RunRow => ({
  runId: 'r',
  rootId: 'r',
  tenant: 'peer-acme',
  principal: 'peer:acme',
  workflowId: 'w',
  workflowVersion: 1,
  tags: [],
  createdAt: 0,
  status: 'running',
  updatedAt: 0,
  head: 1,
  ...more,
});

/** A host with one run, whose log begins with this event. */
function hostWith(payload: object, parent: Partial<RunRow> = {}, type = 'run.started') {
  const text = JSON.stringify({ type, payload });
  const nodes = [
    { id: 'sub', typeId: 'core.subWorkflow' },
    { id: 'dispatch', typeId: 'core.dispatch' },
    { id: 'agent', typeId: 'core.agent' },
  ];
  return {
    hostId: 'host-me',
    reads: {
      run: async (tenant: string, runId: string) =>
        tenant === 'peer-acme' ? row({ runId, ...parent }) : undefined,
      events: async () => [text],
      definition: async (digest: string) => (digest === 'd' ? JSON.stringify({ nodes }) : undefined),
    },
  };
}

describe('the parent of a run', () => {
  it('is the run of another host that asked for it, with the address that the operator has set', async () => {
    verifies('XHOST-10', 'XHOST-12');
    expect(await parentOf(hostWith({ origin }), row())).toEqual({
      runId: 'run-of-acme',
      hostId: 'host-acme',
      cause: 'a2a-message',
      wellKnownUrl: 'https://acme.example/.well-known/openwop',
    });
    const called = hostWith({ origin: { ...origin, cause: 'mcp-tool-call' } });
    expect(await parentOf(called, row())).toMatchObject({ cause: 'mcp-tool-call' });
  });

  it.each([
    ['sub', 'core.subWorkflow'],
    ['dispatch', 'core.dispatch'],
    ['agent', 'core.dispatch'],
    ['no-such-node', 'core.dispatch'],
  ])('on the same host has the cause of its node %s, and no address', async (parentNodeId, cause) => {
    verifies('XHOST-12');
    // The parent itself was asked for by another host: only the immediate parent counts.
    const host = hostWith({ definition: 'd', origin });
    const child = row({ runId: 'p.1', parentRunId: 'p', parentNodeId });
    expect(await parentOf(host, child)).toEqual({ runId: 'p', hostId: 'host-me', cause });
  });

  it('XHOST-11 is none for a root that nobody else started', async () => {
    expect(await parentOf(hostWith({}), row())).toBeNull();
  });

  it.each<[string, Partial<RunRow>]>([
    ['a fork', { fork: { sourceRunId: 's', fromSeq: 3, mode: 'branch', models: 'recorded', live: [] } }],
  ])('is none for %s of a run that another host had started', async (_what, more) => {
    expect(await parentOf(hostWith({ origin }), row(more))).toBeNull();
  });

  it('cannot be told when the log of the parent is gone, or has no beginning', async () => {
    const child = row({ runId: 'p.1', parentRunId: 'p', parentNodeId: 'sub' });
    const erased = hostWith({ erased: true }, { erasedAt: 1 });
    await expect(parentOf(erased, child)).rejects.toMatchObject({ code: 'run_erased' });
    await expect(parentOf(hostWith({}, {}, 'run.paused'), row())).rejects.toMatchObject({
      code: 'run_unreadable',
    });
  });
});
