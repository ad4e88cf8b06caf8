import type { Watch } from './watch.ts';

/** A run starts each of its children once. */
export function childWatch(): Watch {
  const begun = new Set<string>();
  return (event) => {
    if (event.type !== 'node.dispatched') return [];
    const { childRunId } = event.payload;
    if (begun.has(childRunId)) return [`started the child ${childRunId} twice`];
    begun.add(childRunId);
    return [];
  };
}
