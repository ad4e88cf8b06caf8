import type { MemoryLayer } from '@baton/protocol';
import { ownScope } from '../kernel/fold/evolve-fork.ts';
import { WORKSPACE_SCOPE } from '../kernel/memory/turn-inputs.ts';
import { lineOf } from '../kernel/memory/turn-view.ts';
import type { TranscriptLine, Want, World } from '../kernel/working-run.ts';
import type { MemoryQuery, MemoryRow } from '../ports/memory.ts';
import type { Slice, Store } from '../ports/store.ts';
import type { Workflows } from './workflows.ts';

/**
 * What the kernel wanted to know during one slice. Kept no longer: the next slice may find something else. Only how
 * far a workspace has come is kept until somebody writes to it, because every supervisor's turn asks; this host is
 * the only writer.
 */
export interface Lookups {
  readonly known: Pick<World, 'workflow' | 'memory' | 'scopeVersion' | 'workspace' | 'transcript'>;
  find(want: Want): Promise<void>;
  forget(): void;
  /** What these slices may have changed has to be looked up again. */
  changed(slices: readonly Slice[]): void;
}

/** A scope that its callers named, as a run finds it. */
export async function namedScope(
  store: Store,
  tenant: string,
  scopeId: string,
): Promise<readonly MemoryLayer[] | undefined> {
  const scope = ownScope('', scopeId);
  const head = await store.scope(tenant, scope);
  return head && [{ scope, version: head.version }];
}

const MOST_WORKSPACES = 10_000;

export function lookupsOf(store: Store, workflows: Workflows): Lookups {
  const memory = new Map<string, readonly MemoryRow[]>();
  const versions = new Map<string, number>();
  const workspaces = new Map<string, number>();
  const transcripts = new Map<string, readonly TranscriptLine[]>();
  const queryKey = (query: MemoryQuery) => JSON.stringify(query);
  const scopeKey = (tenant: string, scope: string) => `${tenant}\n${scope}`;
  const windowKey = (runId: string, from: number, limit: number) => `${runId}\n${from}\n${limit}`;
  const scopeVersion = (tenant: string, scope: string) => versions.get(scopeKey(tenant, scope)) ?? 'unknown';
  const workspaceVersion = (tenant: string) =>
    workspaces.get(tenant) ?? scopeVersion(tenant, WORKSPACE_SCOPE);

  function keep(tenant: string, version: number): void {
    if (workspaces.size >= MOST_WORKSPACES) workspaces.clear();
    workspaces.set(tenant, version);
  }

  return {
    known: {
      workflow: (tenant, id) => workflows.known(tenant, id),
      memory: (query) => memory.get(queryKey(query)) ?? 'unknown',
      scopeVersion,
      workspace: (tenant) => {
        const version = workspaceVersion(tenant);
        if (version === 'unknown') return version;
        return version === 0 ? undefined : { scope: WORKSPACE_SCOPE, version };
      },
      transcript: (runId, from, limit) => transcripts.get(windowKey(runId, from, limit)) ?? 'unknown',
    },
    async find(want) {
      switch (want.kind) {
        case 'workflow':
          await workflows.newest(want.tenant, want.id);
          return;
        case 'memory':
          memory.set(queryKey(want.query), await store.memory(want.query));
          return;
        case 'scope': {
          const head = await store.scope(want.tenant, want.scope);
          versions.set(scopeKey(want.tenant, want.scope), head?.version ?? 0);
          if (want.scope === WORKSPACE_SCOPE) keep(want.tenant, head?.version ?? 0);
          return;
        }
        case 'transcript': {
          const { runId, from, limit } = want;
          const events = await store.placedEvents(runId, from, limit);
          transcripts.set(
            windowKey(runId, from, limit),
            events.map(({ text }) => lineOf(text)),
          );
        }
      }
    },
    changed(slices) {
      for (const { memory = [] } of slices) {
        for (const { tenant, scope } of memory) if (scope === WORKSPACE_SCOPE) workspaces.delete(tenant);
      }
    },
    forget() {
      memory.clear();
      versions.clear();
      transcripts.clear();
    },
  };
}
