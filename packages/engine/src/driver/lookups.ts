import type { MemoryLayer } from '@baton/protocol';
import { ownScope } from '../kernel/fold/evolve-fork.ts';
import { WORKSPACE_SCOPE } from '../kernel/memory/turn-inputs.ts';
import { lineOf } from '../kernel/memory/turn-view.ts';
import type { TranscriptLine, Want, World } from '../kernel/working-run.ts';
import type { MemoryQuery, MemoryRow } from '../ports/memory.ts';
import type { Store } from '../ports/store.ts';
import type { Workflows } from './workflows.ts';

/** Values that the kernel asked for during one job. The next job reads them again: they may have changed. */
export interface Lookups {
  readonly known: Pick<World, 'workflow' | 'memory' | 'scopeVersion' | 'workspace' | 'transcript'>;
  find(want: Want): Promise<void>;
}

/**
 * The versions of workspaces, which every supervisor's turn asks for. A version is kept over many jobs, until
 * the workspace is written to.
 */
export interface WorkspaceVersions {
  get(tenant: string): number | undefined;
  /** Call before the version is read. The version is kept unless a workspace was written to since. */
  reading(tenant: string): (version: number) => void;
  forget(tenant: string): void;
  /** Any workspace may have been written to. */
  forgetAll(): void;
}

const MOST_WORKSPACES = 10_000;

export function workspaceVersions(): WorkspaceVersions {
  const versions = new Map<string, number>();
  let writes = 0;
  return {
    get: (tenant) => versions.get(tenant),
    reading(tenant) {
      const before = writes;
      return (version) => {
        if (writes !== before) return;
        if (versions.size >= MOST_WORKSPACES) versions.clear();
        versions.set(tenant, version);
      };
    },
    forget(tenant) {
      writes += 1;
      versions.delete(tenant);
    },
    forgetAll() {
      writes += 1;
      versions.clear();
    },
  };
}

/** The memory of a `scopeId` as a new run sees it; `undefined` when the scope does not exist yet. */
export async function namedScope(
  store: Store,
  tenant: string,
  scopeId: string,
): Promise<readonly MemoryLayer[] | undefined> {
  const scope = ownScope('', scopeId);
  const head = await store.scope(tenant, scope);
  return head && [{ scope, version: head.version }];
}

export function lookupsOf(store: Store, workflows: Workflows, workspaces: WorkspaceVersions): Lookups {
  const memory = new Map<string, readonly MemoryRow[]>();
  const versions = new Map<string, number>();
  const transcripts = new Map<string, readonly TranscriptLine[]>();
  const scopeVersion = (tenant: string, scope: string) => versions.get(scopeKey(tenant, scope)) ?? 'unknown';

  return {
    known: {
      workflow: workflows.known,
      memory: (query) => memory.get(queryKey(query)) ?? 'unknown',
      scopeVersion,
      workspace: (tenant) => {
        const version = workspaces.get(tenant) ?? scopeVersion(tenant, WORKSPACE_SCOPE);
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
          const keep = want.scope === WORKSPACE_SCOPE ? workspaces.reading(want.tenant) : undefined;
          const { version } = (await store.scope(want.tenant, want.scope)) ?? { version: 0 };
          versions.set(scopeKey(want.tenant, want.scope), version);
          keep?.(version);
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
  };
}

function queryKey(query: MemoryQuery): string {
  return JSON.stringify(query);
}

function scopeKey(tenant: string, scope: string): string {
  return `${tenant}\n${scope}`;
}

function windowKey(runId: string, from: number, limit: number): string {
  return `${runId}\n${from}\n${limit}`;
}
