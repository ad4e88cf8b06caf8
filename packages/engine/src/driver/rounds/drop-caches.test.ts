import { describe, expect, it } from 'vitest';
import { WORKSPACE_SCOPE } from '../../kernel/memory/turn-inputs.ts';
import { PRODUCT_NODES } from '../../nodes/index.ts';
import type { StoreChange } from '../../ports/changes.ts';
import type { Store } from '../../ports/store.ts';
import { workspaceVersions } from '../lookups.ts';
import { treeCache } from '../trees/tree-cache.ts';
import { workflowsOf } from '../workflows.ts';
import { dropCaches } from './drop-caches.ts';

const DEFINITION = JSON.stringify({ id: 'w', nodes: [], edges: [] });

/** Caches that hold the workflow `w` and the workspace of the tenant `acme`. */
async function filledCaches() {
  const store = {
    workflow: async () => ({ tenant: 'acme', id: 'w', version: 1, digest: 'd', createdAt: 0 }),
    definition: async () => DEFINITION,
  } as unknown as Store;
  const caches = {
    workflows: workflowsOf(store, PRODUCT_NODES),
    workspaces: workspaceVersions(),
    trees: treeCache(),
  };
  await caches.workflows.newest('acme', 'w');
  caches.workspaces.reading('acme')(3);
  return caches;
}

describe('a change of the store', () => {
  it.each<[string, StoreChange, { workflow: boolean; workspace: boolean }]>([
    ['a workflow', { kind: 'workflow', tenant: 'acme', id: 'w' }, { workflow: true, workspace: false }],
    ['a shared workflow', { kind: 'workflow', tenant: '*', id: 'w' }, { workflow: true, workspace: false }],
    [
      'another workflow',
      { kind: 'workflow', tenant: 'acme', id: 'v' },
      { workflow: false, workspace: false },
    ],
    [
      'files',
      { kind: 'scope', tenant: 'acme', scope: WORKSPACE_SCOPE },
      { workflow: false, workspace: true },
    ],
    ['memory', { kind: 'scope', tenant: 'acme', scope: 'scope:s' }, { workflow: false, workspace: false }],
    ['a key', { kind: 'key', id: 'w' }, { workflow: false, workspace: false }],
    ['a peer', { kind: 'peer', name: 'w' }, { workflow: false, workspace: false }],
    ['unknown data', { kind: 'missed' }, { workflow: true, workspace: true }],
  ])('of %s drops what the engine remembers of it, and nothing else', async (_what, change, dropped) => {
    const caches = await filledCaches();
    dropCaches(caches, change);
    expect(caches.workflows.known('acme', 'w') === 'unknown').toBe(dropped.workflow);
    expect(caches.workspaces.get('acme') === undefined).toBe(dropped.workspace);
  });

  it('that removes a log drops its tree', async () => {
    const caches = await filledCaches();
    caches.trees.keep('r', { stored: new Map() } as never);
    dropCaches(caches, { kind: 'log', runId: 'r' });
    expect(caches.trees.get('r')).toBeUndefined();
  });
});
