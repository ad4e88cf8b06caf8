import type { StatusLook } from '../../../ui/status.ts';
import type { NodeMoment, NodeState } from '../model/tree.ts';

/** How the state of a node is shown: with the look of a status and a word. */
const LOOKS: Readonly<Record<NodeState, readonly [StatusLook, string]>> = {
  running: ['running', 'Running'],
  waiting: ['waiting', 'Waiting'],
  retrying: ['waiting', 'Tried again'],
  completed: ['completed', 'Completed'],
  failed: ['failed', 'Failed'],
  skipped: ['cancelled', 'Skipped'],
  cancelled: ['cancelled', 'Cancelled'],
};

export function nodeLook(moment: NodeMoment | undefined): StatusLook {
  return moment === undefined ? 'pending' : LOOKS[moment.state][0];
}

export function nodeWord(moment: NodeMoment | undefined): string {
  if (moment === undefined) return 'Not started';
  const [, word] = LOOKS[moment.state];
  return moment.executions > 1 ? `${word}, ${moment.executions} times` : word;
}

/** `core.orchestrator.supervisor` → `supervisor`. */
export function shortType(typeId: string): string {
  return typeId.slice(typeId.lastIndexOf('.') + 1);
}
