import type { EventType } from './events.ts';

/** Each event type in one sentence, for the reference and for people who read a log. */
export const EVENT_SUMMARIES: Readonly<Record<EventType, string>> = {
  'run.started':
    'The first event of a run: its workflow, inputs, limits, and for a child run also its parent.',
  'run.paused': 'The run is paused. No node starts until it is resumed.',
  'baton.run.draining': 'A pause was accepted. The run pauses once the running nodes have ended.',
  'run.resumed': 'A paused run goes on.',
  'run.completed': 'The run ended well. `goal` says whether the criteria of its goal were met.',
  'run.failed': 'The run ended with an error, usually that of a node.',
  'run.cancelled': 'The run was cancelled by a person, or together with its parent.',
  'budget.reserved':
    'A budget begins to hold: that of a run when the run starts, that of an agent when it is first invoked.',
  'budget.consumed': 'Another tenth of one dimension of a budget is used.',
  'budget.threshold.crossed': 'The use of one dimension of a budget has reached its threshold.',
  'budget.exhausted': 'One dimension of the budget of the run, of an agent or of the tenant is used up.',
  'baton.usage.carried': 'A child run has ended, and what it used counts for its parent too.',
  'cap.breached': 'The run reached a limit of this host, such as the number of loops or of events.',
  'node.started': 'An attempt of a node began.',
  'node.completed': 'The node ended well, with these outputs.',
  'node.failed': 'The node failed, and no further attempt is made.',
  'node.retried': 'An attempt failed, and the node is tried again after `delayMs`.',
  'node.skipped': 'The node will not run, because no path leads to it any more.',
  'node.cancelled': 'The node was stopped before it ended.',
  'node.suspended': 'The node waits for an answer or for an event from outside.',
  'node.resumed': 'The interrupt for which the node waited is resolved.',
  'node.dispatched': 'The node started a child run.',
  'interrupt.requested': 'A person, or a system outside, is asked.',
  'interrupt.resolved': 'An interrupt ended: it was answered, it expired, or its run ended.',
  'approval.received': 'One person has answered an approval. More votes may be needed.',
  'approval.granted': 'The approval is granted: enough people accepted.',
  'approval.rejected': 'The approval is rejected.',
  'approval.overridden':
    'A person with the scope `approvals:override` settled an approval alone and gave a reason.',
  'authorization.decided': 'Whether a principal was allowed to answer an interrupt.',
  'clarification.requested': 'Questions were asked that need an answer in words or values.',
  'clarification.resolved': 'The questions were answered.',
  'channel.written': 'A value was added to a channel.',
  'baton.channel.trimmed': 'Entries were removed from a channel because of its age or size limit.',
  'variable.changed': 'A variable of the run has a new value.',
  'memory.written': 'An entry was written to a memory scope. The event does not hold the content.',
  'baton.memory.forgotten': 'An entry was removed from a memory scope.',
  'baton.memory.carried': 'The memory of a child run was added to the memory of its parent, as one version.',
  'baton.memory.seen': 'Other runs wrote to a shared memory scope; from here on this run sees their entries.',
  'baton.memory.branched':
    'A replay has passed the end of the log of its source, and writes to a memory scope of its own.',
  'workspace.updated': 'A file of the workspace has a new version.',
  'baton.run.branched': 'The first own event of a branch. It records what the caller changed.',
  'replay.diverged': 'A replay did something else than its source at the same index.',
  'replay.divergedAtRefusal':
    'In a replay, a model refused a request that it had answered in the source, or the reverse.',
  'baton.effect.intended': 'The host is about to do something outside, such as a model call or a tool call.',
  'baton.effect.retried': 'A try of an effect failed. The effect is performed again after `delayMs`.',
  'baton.effect.settled': 'The outcome of an effect: its outputs, or the error of its last try.',
  'output.chunk': 'A part of a text that a node produces, for readers who watch it grow.',
  'provider.usage': 'The tokens and the cost of one model call, also of a failed one.',
  'baton.model.substituted': 'Another model answered, because the provider of the first one failed.',
  'envelope.retry.attempted':
    'An answer of a model did not have the required form. The model is asked again.',
  'envelope.retry.exhausted': 'No answer of a model had the required form, and no further attempt is made.',
  'envelope.refusal': 'A model refused to answer. The refusal is never replaced by another answer.',
  'envelope.truncated': 'An answer of a model was cut at the limit of its length.',
  'envelope.nlToFormat.engaged':
    'All answers were prose, so one more call asks the model to bring the last one into the required form.',
  'envelope.recovery.applied': 'The required form was found inside a longer answer.',
  'runOrchestrator.decided': 'A supervisor decided: hand work to workers, ask a person, or end.',
  'core.workflowChain.event':
    'A handoff entered its next phase, such as dispatched, child completed, output harvested.',
  'core.workflowChain.confidence-escalated':
    'The confidence of a decision is below the floor, so a person is asked before it is carried out.',
  'baton.critic.started': 'A critic began to judge outputs, a decision or the result of a tool call.',
  'agent.verified': 'The verdict of a critic: pass, revise or fail.',
  'baton.merge.settled':
    'The merge gate has decided: the outputs of a worker were merged into the parent, or never will be.',
  'baton.child.ended': 'How a child run ended for which no node waits, or which missed its goal.',
  'baton.worker.settled':
    'The result of a worker, recorded in place of the handoff phases while the execution model is off.',
  'agent.invocation.started': 'The first event of an invocation of an agent.',
  'agent.invocation.completed':
    'The last event of an invocation: completed, handed-off, escalated, refused or failed.',
  'agent.promptResolved': 'Which prompts the agent uses. The event never holds their text.',
  'agent.reasoned': 'The reasoning of one round of an agent.',
  'agent.reasoning.delta': 'A part of the reasoning, while the model speaks.',
  'agent.toolCalled': 'The agent calls a tool. The arguments are recorded as a digest.',
  'agent.toolReturned': 'The tool call ended: ok, error, forbidden, rate limited or unknown.',
  'agent.handoff': 'The agent hands its work to another agent, with a payload and a part of its history.',
  'agent.decided': 'The result of the agent, or the decision of a supervisor.',
};
