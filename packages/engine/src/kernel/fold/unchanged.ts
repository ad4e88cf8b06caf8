import type { EventOf } from '@baton/protocol';
import type { Run } from '../run.ts';

/** Events that only tell readers of the log something. They do not change the state of a run. */
const TELLING = [
  'workspace.updated',
  'node.suspended',
  'node.resumed',
  'clarification.requested',
  'clarification.resolved',
  'cap.breached',
  'output.chunk',
  'budget.consumed',
  'budget.threshold.crossed',
  'budget.exhausted',
  'baton.model.substituted',
  'envelope.retry.attempted',
  'envelope.retry.exhausted',
  'envelope.refusal',
  'envelope.truncated',
  'envelope.nlToFormat.engaged',
  'envelope.recovery.applied',
  'authorization.decided',
  'approval.granted',
  'approval.rejected',
  'approval.overridden',
  'core.workflowChain.confidence-escalated',
  'agent.promptResolved',
  'agent.reasoned',
  'agent.toolReturned',
  'agent.handoff',
] as const;

const telling: ReadonlySet<string> = new Set(TELLING);

export type TellingEvent = EventOf<(typeof TELLING)[number]>;

export function unchanged(run: Run, event: TellingEvent): Run {
  if (telling.has(event.type)) return run;
  // Only a newer version writes unknown events. Guessing their meaning would corrupt the run.
  throw new Error(`this version cannot fold an event of type ${event.type}`);
}
