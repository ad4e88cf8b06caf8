import type { MemoryChange, MemoryQuery, MemoryRow, MemoryView } from '../../../engine/src/ports/memory.ts';
import type { StoreReads } from '../../../engine/src/ports/reads/index.ts';
import type { Slice } from '../../../engine/src/ports/store.ts';
import { T0 } from './example-slices.ts';

/** Short changes of memory for tests, all for the same tenant. */

type Change<Kind> = Extract<MemoryChange, { kind: Kind }>;

/** Makes version `version` of the scope. */
export function write(
  scope: string,
  version: number,
  id: string,
  more: Partial<Change<'write'>> = {},
): MemoryChange {
  const content = `${id} in ${version}`;
  return { kind: 'write', ...base(scope, version), id, content, tags: [], ...more };
}

export function forget(
  scope: string,
  version: number,
  id: string,
  more: Partial<Change<'forget'>> = {},
): MemoryChange {
  return { kind: 'forget', ...base(scope, version), id, ...more };
}

export function carry(
  scope: string,
  version: number,
  from: string,
  upTo: number,
  more: Partial<Change<'carry'>> = {},
): MemoryChange {
  return { kind: 'carry', ...base(scope, version), from, upTo, ...more };
}

function base(scope: string, version: number) {
  return {
    tenant: 'acme',
    scope,
    expectedVersion: version - 1,
    at: T0 + version,
    by: { runId: 'a' },
  } as const;
}

/** A slice with changes of memory only. */
export function memorySlice(...memory: readonly MemoryChange[]): Slice {
  return { rootId: 'a', runs: [], memory };
}

export function layers(
  ...view: readonly (readonly [scope: string, version: number, at?: number])[]
): MemoryView {
  return view.map(([scope, version, at]) => ({ scope, version, ...(at !== undefined && { at }) }));
}

export function find(
  reads: StoreReads,
  view: MemoryView,
  more: Partial<MemoryQuery> = {},
): Promise<readonly MemoryRow[]> {
  return reads.memory({ tenant: 'acme', view, now: T0 + 1000, limit: 100, ...more });
}

/** The result of a query in a short form. */
export async function contents(
  reads: StoreReads,
  view: MemoryView,
  more: Partial<MemoryQuery> = {},
): Promise<string[]> {
  return (await find(reads, view, more)).map((row) => row.content);
}
