/** Workflows for a host with a poisoned engine. Each waits a moment, so that its run is stored before the poison. */

type Poison = 'stall' | 'memory' | 'kill';

/** Recalls an entry that stops the engine, after the given time. */
export function poisonous(poison: Poison, delayMs = 50) {
  return {
    id: `poison-${poison}`,
    nodes: [
      { id: 'wait', typeId: 'core.delay', config: { ms: delayMs } },
      { id: 'write', typeId: 'vendor.baton.memory.write', config: { key: 'note', content: 'x' } },
      { id: 'read', typeId: 'vendor.baton.memory.read', config: { key: `poison:${poison}` } },
    ],
    edges: [
      { sourceNodeId: 'wait', targetNodeId: 'write' },
      { sourceNodeId: 'write', targetNodeId: 'read' },
    ],
  };
}

export const HARMLESS = { id: 'harmless', nodes: [{ id: 'only', typeId: 'core.noop' }] };
