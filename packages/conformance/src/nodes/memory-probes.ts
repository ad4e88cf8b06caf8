import {
  assign,
  catchUp,
  completeNode,
  entryOf,
  failNode,
  type NewEntry,
  recall,
  recallFrom,
  viewOfMemory,
  type WorkingRun,
  writeEntry,
} from '@baton/engine/extension';
import { type Json, type JsonObject, runError } from '@baton/protocol';

/**
 * Nodes that write to memory and read it again, for clients that check a host. A probe keeps no state. It
 * reads its entry, and writes the entry when it does not exist yet. The next read waits for the commit of the
 * write.
 */

interface Probe {
  /**
   * The entries to write. The probe reads the first of them again. `undefined` when there is nothing to
   * write.
   */
  entries(
    working: WorkingRun,
    id: string,
    config: JsonObject,
  ): readonly [NewEntry, ...NewEntry[]] | undefined;
  /** The variables to set after the entry was read. `undefined` while a look-up is needed. */
  conclude(
    working: WorkingRun,
    entry: JsonObject,
    config: JsonObject,
  ): Readonly<Record<string, Json>> | undefined;
}

const HOUR_MS = 60 * 60 * 1000;
const NOTE = { content: 'Remembered by a probe.', tags: ['conformance'] };

const PROBES: Readonly<Record<string, Probe>> = {
  'write-then-read': {
    entries: (_turn, id) => [{ id, ...NOTE }],
    conclude: (_turn, entry) => ({ memoryReadback: entry }),
  },
  'cross-tenant-probe': {
    entries: (_turn, id) => [{ id, ...NOTE }],
    conclude: (working, entry, { probeMemoryRef }) => {
      const own = recall(working, { limit: 100 });
      const foreign = recallByReference(working, probeMemoryRef);
      if (own === 'unknown' || foreign === 'unknown') return undefined;
      return {
        ownerEntryId: entry.id ?? '',
        ownerProbe: own.map(entryOf),
        crossTenantProbe: foreign.map(entryOf),
      };
    },
  },
  'redaction-probe': {
    entries: ({ run, tree: { world } }, id, { byokSecretId }) => {
      const secret = world.secret(run.tenant, String(byokSecretId));
      return secret === undefined ? undefined : [{ id, content: `The key is ${secret}.`, tags: NOTE.tags }];
    },
    conclude: (_turn, entry) => ({ memoryReadback: entry }),
  },
  'ttl-probe': {
    entries: ({ tree: { world } }, id) => [
      { id: `${id}:fresh`, ...NOTE, expiresAt: world.now + HOUR_MS },
      { id: `${id}:expired`, ...NOTE, expiresAt: world.now - 1 },
    ],
    conclude: (working, entry) => {
      const rows = recall(working, { limit: 100 });
      if (rows === 'unknown') return undefined;
      const freshId = String(entry.id);
      return { memoryList: rows.map(entryOf), freshId, expiredId: freshId.replace(/fresh$/, 'expired') };
    },
  },
};

export function isProbe(action: Json | undefined): action is string {
  return typeof action === 'string' && Object.hasOwn(PROBES, action);
}

/** True when an event was recorded. */
export function proceedWithProbe(working: WorkingRun, nodeId: string): boolean {
  const node = working.plan.nodes.get(nodeId);
  const config = node?.config ?? {};
  const probe = isProbe(config.memoryAction) ? PROBES[config.memoryAction] : undefined;
  const state = working.run.nodes[nodeId];
  if (probe === undefined || node === undefined || state === undefined) return false;
  const memory = catchUp(working);
  if (memory !== 'current') return memory === 'moved';
  const entries = probe.entries(working, state.startedId, config);
  if (entries === undefined) {
    failNode(
      working,
      node,
      runError('input_missing', `Node "${nodeId}": there is no secret of that id`),
      false,
    );
    return true;
  }
  const [wanted] = entries;
  const rows = recall(working, { id: wanted.id, limit: 1 });
  if (rows === 'unknown') return false;
  const [row] = rows;
  if (row === undefined) {
    for (const entry of entries) writeEntry(working, nodeId, entry);
    return true;
  }
  const variables = probe.conclude(working, entryOf(row), config);
  if (variables === undefined) return false;
  assign(working, nodeId, variables);
  completeNode(working, nodeId);
  return true;
}

/**
 * A reference gives only entries that the run sees anyway. Any other reference, well-formed or not, gives
 * none.
 */
function recallByReference(working: WorkingRun, reference: Json | undefined) {
  const view = viewOfMemory(working.run.memory).filter((layer) => layer.scope === reference);
  return recallFrom(working, view, { limit: 100 });
}
