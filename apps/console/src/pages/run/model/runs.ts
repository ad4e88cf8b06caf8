import type { RunEvent } from '@baton/client';
import type { Lane, NodeTrack, RunRole, RunTrack, Tree } from './tree.ts';

/** The runs and lanes of a tree. */

const AGENT_TYPES: readonly string[] = ['core.agent', 'core.orchestrator.supervisor'];
/** The workflow of an agent that runs by itself. Its run is the lane of the agent. */
const AGENT_PREFIX = 'agent:';

/** The run of an event. The first event of a run makes it known. */
export function runOf(tree: Tree, event: RunEvent, position: number): RunTrack {
  const known = tree.runs.get(event.runId);
  if (known !== undefined) return known;
  const started = event.type === 'run.started' ? event.payload : undefined;
  const parent = event.runId === tree.rootId ? undefined : parentOf(tree, event.runId, started?.parentRunId);
  const workflowId = started?.workflowId ?? '';
  const lane: Lane = {
    key: event.runId,
    runId: event.runId,
    nodeId: undefined,
    name: workflowId.startsWith(AGENT_PREFIX) ? agentName(workflowId.slice(AGENT_PREFIX.length)) : workflowId,
    depth: parent === undefined ? 0 : parent.lane.depth + 1,
    spans: [],
    rows: 1,
  };
  const run: RunTrack = {
    runId: event.runId,
    role: roleOf(parent, started?.role),
    parent,
    parentNodeId: started?.parentNodeId,
    workflowId,
    workflowVersion: started?.workflowVersion,
    positions: [],
    firstSequence: event.sequence,
    status: [{ at: position, value: 'running' }],
    nodes: new Map(),
    children: [],
    lane,
    agentLanes: [],
    questions: new Map(),
  };
  tree.runs.set(event.runId, run);
  tree.laneCount += 1;
  parent?.children.push(run);
  if (parent !== undefined && run.parentNodeId !== undefined) {
    nodeOf(parent, run.parentNodeId).children.push(run);
  }
  return run;
}

function roleOf(parent: RunTrack | undefined, role: 'critic' | undefined): RunRole {
  return parent === undefined ? 'root' : (role ?? 'child');
}

/** A child has the id of its parent and a number: `….3`. */
function parentOf(tree: Tree, runId: string, named: string | undefined): RunTrack | undefined {
  return tree.runs.get(named ?? runId.slice(0, Math.max(0, runId.lastIndexOf('.'))));
}

export function nodeOf(run: RunTrack, nodeId: string): NodeTrack {
  const known = run.nodes.get(nodeId);
  if (known !== undefined) return known;
  const node: NodeTrack = { nodeId, typeId: '', moments: [], children: [] };
  run.nodes.set(nodeId, node);
  return node;
}

/** The lane of an event: that of the agent that works in its node, or that of its run. */
export function laneOf(tree: Tree, run: RunTrack, event: RunEvent): Lane {
  const { nodeId } = event;
  if (nodeId === undefined || run.workflowId.startsWith(AGENT_PREFIX)) return run.lane;
  const known = run.agentLanes.find((lane) => lane.nodeId === nodeId);
  if (known !== undefined) return named(known, event);
  if (event.type !== 'node.started' || !AGENT_TYPES.includes(event.payload.typeId)) return run.lane;
  const lane: Lane = {
    key: `${run.runId}#${nodeId}`,
    runId: run.runId,
    nodeId,
    name: nodeId,
    depth: run.lane.depth + 1,
    spans: [],
    rows: 1,
  };
  run.agentLanes.push(lane);
  tree.laneCount += 1;
  return lane;
}

/** An agent's lane has the name of the agent as soon as an event names it. */
function named(lane: Lane, event: RunEvent): Lane {
  if (event.type === 'runOrchestrator.decided' || event.type === 'agent.invocation.started') {
    lane.name = agentName(event.payload.agentId);
  }
  return lane;
}

/** The last part of the id of an agent. The parts before it name its vendor. */
function agentName(agentId: string): string {
  return agentId.slice(agentId.lastIndexOf('.') + 1);
}

/** All lanes: a run, its agents, then its children in the order in which they began. */
export function lanesInOrder(tree: Tree): readonly Lane[] {
  const root = tree.runs.get(tree.rootId);
  const lanes: Lane[] = [];
  const visit = (run: RunTrack): void => {
    lanes.push(run.lane, ...run.agentLanes);
    for (const child of run.children) visit(child);
  };
  if (root !== undefined) visit(root);
  return lanes;
}

/** `.3`, or `.3.1`: what tells a descendant apart. The root has no such part. */
export function idBelow(tree: Tree, runId: string): string {
  return runId.startsWith(`${tree.rootId}.`) ? runId.slice(tree.rootId.length) : '';
}
