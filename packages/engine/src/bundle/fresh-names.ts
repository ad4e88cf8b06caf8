import { IMPORTED_SCOPE, type JsonObject, type MemoryLayer, type RunEvent } from '@baton/protocol';

/**
 * Imported runs get new ids. The root ids of runs are random and occur in a log only as ids, so they can be
 * replaced everywhere in a text. Runs that a log mentions but that are not in the bundle are renamed too.
 * Otherwise a forged log could refer to an existing run of this host.
 */
export interface FreshNames {
  /** Makes new names for all runs that an event or a record mentions. */
  note(text: string): void;
  /** The text with the new names. */
  inText(text: string): string;
  /** The new name of a memory scope. Shared memory and files become private to the imported tree. */
  scope(name: string): string;
}

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const ANY_ROOT = new RegExp(UUID, 'g');
const SPOKEN_OF = new RegExp(
  `"(?:runId|rootId|parentRunId|childRunId|criticRunId|sourceRunId|origin)":"(${UUID})|"run:(${UUID})|^(${UUID})`,
  'g',
);
const OWN_SCOPE = new RegExp(`^run:${UUID}(?:\\.[1-9][0-9]{0,9})*$`);
const IMPORTED_BEFORE = new RegExp(`^${IMPORTED_SCOPE}${UUID}:`);

export function freshNames(mainId: string, newId: () => string): FreshNames {
  const names = new Map<string, string>();
  const note = (text: string): void => {
    for (const [, byField, byScope, byItself] of text.matchAll(SPOKEN_OF)) {
      const root = byField ?? byScope ?? byItself ?? '';
      if (!names.has(root)) names.set(root, newId());
    }
  };
  note(mainId);
  const inText = (text: string): string => text.replace(ANY_ROOT, (root) => names.get(root) ?? root);
  const own = `${IMPORTED_SCOPE}${inText(mainId)}:`;

  return {
    note,
    inText,
    scope(name) {
      if (OWN_SCOPE.test(name)) {
        note(`"${name}"`);
        return inText(name);
      }
      const colon = name.indexOf(':') + 1;
      return `${name.slice(0, colon)}${own}${name.slice(colon).replace(IMPORTED_BEFORE, '')}`;
    },
  };
}

/** The event with the new names of the memory scopes that it mentions. */
export function withScopes(event: RunEvent, { scope }: FreshNames): RunEvent {
  const layer = <T extends MemoryLayer>(one: T): T => ({ ...one, scope: scope(one.scope) });
  switch (event.type) {
    case 'run.started': {
      const { scopeId, memoryBase, workspace } = event.payload;
      return withPayload(event, {
        // The event holds the name without the prefix `scope:`.
        ...(scopeId !== undefined && { scopeId: scope(`scope:${scopeId}`).slice('scope:'.length) }),
        ...(memoryBase && { memoryBase: memoryBase.map(layer) }),
        ...(workspace && { workspace: layer(workspace) }),
      });
    }
    case 'node.started': {
      const { turn } = event.payload;
      if (turn === undefined) return event;
      const { memory, workspace } = turn;
      const renamed = {
        ...turn,
        ...(memory && { memory: layer(memory) }),
        ...(workspace && { workspace: layer(workspace) }),
      };
      return withPayload(event, { turn: renamed });
    }
    case 'baton.memory.carried': {
      const { memoryRef, from, below } = event.payload;
      return withPayload(event, {
        memoryRef: scope(memoryRef),
        from: scope(from),
        ...(below && { below: below.map(layer) }),
      });
    }
    case 'memory.written':
    case 'baton.memory.forgotten':
    case 'baton.memory.seen':
    case 'baton.memory.branched':
      return withPayload(event, { memoryRef: scope(event.payload.memoryRef) });
    default:
      return event;
  }
}

/** Existing fields keep their place, so that only the names change. */
function withPayload(event: RunEvent, change: object): RunEvent {
  return { ...event, payload: { ...(event.payload as JsonObject), ...change } } as RunEvent;
}
