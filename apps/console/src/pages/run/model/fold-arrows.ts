import type { ArrowKind, Entry, Lane, RunTrack, Tree } from './tree.ts';

/** Work that goes to a child, comes back, and is merged or refused. */
export function foldArrows(tree: Tree, { event, run, position, causes }: Entry): void {
  const add = (kind: ArrowKind, from: Lane, to: Lane): void =>
    void tree.arrows.push({ kind, at: position, from, to });
  switch (event.type) {
    case 'run.started':
      if (run.parent === undefined) return;
      add(run.role === 'critic' ? 'critic' : 'handoff', parentLane(run), run.lane);
      break;
    case 'run.completed':
    case 'run.failed':
    case 'run.cancelled':
      if (run.parent === undefined) return;
      add('return', run.lane, parentLane(run));
      break;
    case 'baton.merge.settled': {
      const child = tree.runs.get(event.payload.childRunId);
      if (child !== undefined) add(event.payload.merged ? 'merge' : 'refusal', child.lane, parentLane(child));
      return;
    }
    case 'variable.changed': {
      // Without a gate, the outputs of a worker are merged by the change that their harvest caused.
      const cause = tree.entries[causes[0] ?? -1]?.event;
      if (cause?.type !== 'core.workflowChain.event' || cause.payload.phase !== 'output.harvested') return;
      const child = tree.runs.get(cause.payload.childRunId ?? '');
      const isKnown = tree.arrows.at(-1)?.from === child?.lane && tree.arrows.at(-1)?.kind === 'merge';
      if (child !== undefined && !isKnown) add('merge', child.lane, parentLane(child));
      return;
    }
    default:
  }
}

function parentLane({ parent, parentNodeId, lane }: RunTrack): Lane {
  if (parent === undefined) return lane;
  return parent.agentLanes.find(({ nodeId }) => nodeId === parentNodeId) ?? parent.lane;
}
