/** Short ways to write the workflows that are run over HTTP here. */

export type Bag = Readonly<Record<string, unknown>>;

export const node = (id: string, typeId: string, config: Bag = {}, more: Bag = {}) => ({
  id,
  typeId,
  config,
  ...more,
});

const edge = (sourceNodeId: string, targetNodeId: string) => ({ sourceNodeId, targetNodeId });

/** Nodes one after the other. */
export const line = (id: string, nodes: readonly Bag[], more: Bag = {}) => ({
  id,
  nodes,
  edges: nodes.slice(1).map((to, at) => edge(String(nodes[at]?.id), String(to.id))),
  ...more,
});

export const declare = (values: Bag) =>
  Object.entries(values).map(([name, defaultValue]) => ({ name, type: typeof defaultValue, defaultValue }));

/** Completes with these variables. */
export const worker = (id: string, values: Bag = {}) =>
  line(id, [node('work', 'core.noop')], { variables: declare(values) });

/** A supervisor with this plan, or this configuration, and its dispatch node. */
export const boss = (id: string, plan: readonly unknown[] | Bag, dispatch: Bag = {}, settings?: Bag) => ({
  id,
  nodes: [
    node('lead', 'core.orchestrator.supervisor', Array.isArray(plan) ? { script: plan } : (plan as Bag)),
    node('hand', 'core.dispatch', dispatch, settings ? { settings } : {}),
  ],
  edges: [edge('lead', 'hand'), edge('hand', 'lead')],
});

export const to = (...nextWorkerIds: string[]) => ({ kind: 'next-worker', nextWorkerIds });
export const END = { kind: 'terminate', reason: 'done' };
export const ASK = { kind: 'ask-user', prompt: 'Go on?' };
