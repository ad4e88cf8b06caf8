/** The kinds of events that a reader tells apart. */
export const FAMILIES = ['run', 'node', 'handoff', 'people', 'agent', 'effect', 'value', 'memory'] as const;
export type Family = (typeof FAMILIES)[number];

export const FAMILY_WORDS: Readonly<Record<Family, string>> = {
  run: 'Run',
  node: 'Nodes',
  handoff: 'Handoffs and merges',
  people: 'People',
  agent: 'Agents',
  effect: 'Effects and models',
  value: 'Variables and channels',
  memory: 'Memory and files',
};

/** The longest matching beginning counts. */
const BEGINNINGS: readonly (readonly [beginning: string, family: Family])[] = [
  ['node.dispatched', 'handoff'],
  ['node.', 'node'],
  ['core.workflowChain.', 'handoff'],
  ['runOrchestrator.', 'handoff'],
  ['baton.critic.', 'handoff'],
  ['baton.merge.', 'handoff'],
  ['baton.child.', 'handoff'],
  ['baton.worker.', 'handoff'],
  ['agent.verified', 'handoff'],
  ['agent.handoff', 'handoff'],
  ['agent.', 'agent'],
  ['interrupt.', 'people'],
  ['approval.', 'people'],
  ['authorization.', 'people'],
  ['clarification.', 'people'],
  ['baton.effect.', 'effect'],
  ['baton.model.', 'effect'],
  ['provider.', 'effect'],
  ['envelope.', 'effect'],
  ['output.', 'effect'],
  ['variable.', 'value'],
  ['channel.', 'value'],
  ['baton.channel.', 'value'],
  ['memory.', 'memory'],
  ['baton.memory.', 'memory'],
  ['workspace.', 'memory'],
];

const known = new Map<string, Family>();

export function familyOf(type: string): Family {
  const before = known.get(type);
  if (before !== undefined) return before;
  const family = BEGINNINGS.find(([beginning]) => type.startsWith(beginning))?.[1] ?? 'run';
  known.set(type, family);
  return family;
}
