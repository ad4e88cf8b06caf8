import { IMPORTED_SCOPE, type JsonObject, type MemoryLayer, type RunEvent } from '@baton/protocol';

/**
 * What comes in gets names of its own. The roots of its runs have ids that are random and stand nowhere else in a log,
 * so another id can be put in their place wherever they stand. Runs that a log speaks of and that did not come along
 * are renamed too: otherwise a forged log could reach into whatever run has that name here.
 */
export interface FreshNames {
  /** Sees to it that every run that an event or a record speaks of gets a name of its own. */
  note(text: string): void;
  /** The same text under the new names. */
  inText(text: string): string;
  /** Memory that callers named, and files, become the tree's own; nothing else here has such a name. */
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

/** The event with the memory that it speaks of under its new name. */
export function withScopes(event: RunEvent, { scope }: FreshNames): RunEvent {
  const layer = <T extends MemoryLayer>(one: T): T => ({ ...one, scope: scope(one.scope) });
  switch (event.type) {
    case 'run.started': {
      const { scopeId, memoryBase, workspace } = event.payload;
      return withPayload(event, {
        // `scope:` stands before the name of a scope wherever it is used.
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

/** Fields that are there keep their place, so that nothing but the names changes. */
function withPayload(event: RunEvent, change: object): RunEvent {
  return { ...event, payload: { ...(event.payload as JsonObject), ...change } } as RunEvent;
}
