import type { Json } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import { simulate } from '../testkit/simulation.ts';
import { inOrder, node, remember, workflow } from '../testkit/workflows.ts';

const probe = (config: Record<string, Json>, options = {}) => {
  const nodes = [remember('before', { key: 'before', content: 'x' }), node('probe', 'core.identity', config)];
  return simulate([workflow('probes', nodes, { edges: inOrder(nodes) })], options);
};

describe.each([
  ['in one go', {}],
  ['an event at a time', { sliceEvents: 1, forgetful: true }],
  ['in a scope that others share', { scopeId: 'desk', forgetful: true }],
])('probes of memory, %s', (_how, options) => {
  it('write-then-read shows the entry that was written', () => {
    const run = probe({ memoryAction: 'write-then-read' }, options);
    expect(run.status()).toBe('completed');
    expect(run.run().variables.memoryReadback).toEqual({
      id: expect.any(String),
      content: expect.any(String),
      tags: expect.any(Array),
      createdAt: '2026-01-01T00:00:00.000Z',
    });
    expect(run.of('memory.written')).toHaveLength(2);
  });

  it.each(['other-tenant/agent-memory', 'scope:secret', '', '../..', 'run:somebody', undefined])(
    'MEM-01 cross-tenant-probe finds its own entry, and nothing behind the reference %j',
    (probeMemoryRef) => {
      const run = probe(
        { memoryAction: 'cross-tenant-probe', ...(probeMemoryRef !== undefined && { probeMemoryRef }) },
        options,
      );
      const { ownerEntryId, ownerProbe, crossTenantProbe } = run.run().variables;
      expect((ownerProbe as { id: string }[]).map(({ id }) => id)).toContain(ownerEntryId);
      expect(crossTenantProbe).toEqual([]);
    },
  );

  it('MEM-06 ttl-probe lists what is fresh, and not what has expired', () => {
    const { memoryList, freshId, expiredId } = probe({ memoryAction: 'ttl-probe' }, options).run().variables;
    const listed = (memoryList as { id: string }[]).map(({ id }) => id);
    expect(listed).toContain(freshId);
    expect(listed).not.toContain(expiredId);
  });
});

it('hands its inputs on when it is told to do nothing with memory', () => {
  const inputs = { a: { type: 'static', value: 1 } };
  const run = simulate([
    workflow('plain', [node('n', 'core.identity', { memoryAction: 'none' }, { inputs })]),
  ]);
  expect(run.run().nodes.n).toMatchObject({ outputs: { a: 1 } });
});
