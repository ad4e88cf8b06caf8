import type { Json } from '@baton/protocol';

/** Short ways to write workflows in tests. */

type Config = Record<string, unknown>;

export function node(id: string, typeId: string, config: Config = {}, more: Config = {}): Config {
  return { id, typeId, config, ...more };
}

export function edge(sourceNodeId: string, targetNodeId: string, more: Config = {}): Config {
  return { sourceNodeId, targetNodeId, ...more };
}

export function workflow(id: string, nodes: readonly Config[], more: Config = {}): Config {
  return { id, nodes, ...more };
}

/** A supervisor that follows `plan`, and its dispatch node. */
export function boss(plan: readonly unknown[], dispatch: Config = {}, more: Config = {}): Config {
  return workflow(
    'boss',
    [
      node('supervisor', 'core.orchestrator.supervisor', { script: plan }),
      node('dispatch', 'core.dispatch', dispatch),
    ],
    { edges: LOOP_EDGES, ...more },
  );
}

/** Such a loop with settings of the node that hands work over. */
export function gatedBoss(
  settings: Config,
  dispatch: Config = {},
  plan: readonly unknown[] = [hand('writer'), TERMINATE],
): Config {
  const loop = boss(plan, dispatch) as { readonly nodes: readonly Config[] };
  return { ...loop, nodes: loop.nodes.map((one) => (one.id === 'dispatch' ? { ...one, settings } : one)) };
}

/** Hands the same work over by a sub-workflow node, which is called like the dispatch node of a loop. */
export function gatedCall(settings: Config, config: Config = {}): Config {
  return workflow('parent', [
    node('dispatch', 'core.subWorkflow', { workflowId: 'writer', ...config }, { settings }),
  ]);
}

/** The ways to hand work over. */
export const WAYS = [
  ['dispatch', gatedBoss],
  ['sub-workflow', gatedCall],
] as const;

export const LOOP_EDGES = [edge('supervisor', 'dispatch'), edge('dispatch', 'supervisor')];

export const TERMINATE = { kind: 'terminate', reason: 'goal-reached' };

export function hand(...nextWorkerIds: string[]) {
  return { kind: 'next-worker', nextWorkerIds };
}

/** A worker whose only act is to complete with these variables. */
export function worker(id: string, variables: Record<string, Json> = {}): Config {
  return workflow(id, [node('work', 'core.noop')], { variables: declare(variables) });
}

export function failingWorker(id: string, variables: Record<string, Json> = {}): Config {
  return workflow(id, [node('work', 'core.fail', { code: 'worker_broke', message: 'as told' })], {
    variables: declare(variables),
  });
}

export function waitingWorker(id: string, variables: Record<string, Json> = {}): Config {
  return workflow(id, [node('gate', 'core.approvalGate', { title: 'Go on?' })], {
    variables: declare(variables),
  });
}

/** Declared variables; a value is the default, `undefined` means none. */
export function declare(variables: Record<string, Json | undefined>): Config[] {
  return Object.entries(variables).map(([name, defaultValue]) => ({
    name,
    type: defaultValue === undefined ? 'string' : typeOf(defaultValue),
    ...(defaultValue !== undefined && { defaultValue }),
  }));
}

function typeOf(value: Json): string {
  if (Array.isArray(value)) return 'array';
  return value === null ? 'object' : typeof value;
}

export function remember(id: string, config: Config, more: Config = {}): Config {
  return node(id, 'vendor.baton.memory.write', config, more);
}

/** Reads into the variable `into`, or `found`. */
export function look(id: string, config: Config = {}): Config {
  return node(id, 'vendor.baton.memory.read', { into: 'found', ...config });
}

/** Nodes one after the other. */
export function inOrder(nodes: readonly Config[]): Config[] {
  return nodes.slice(1).map((next, at) => edge(String(nodes[at]?.id), String(next.id)));
}

/** A worker that remembers one thing and completes. */
export function rememberingWorker(id: string, config: Config): Config {
  return workflow(id, [remember('note', config)]);
}
