import type { ApprovalData, EventOf, RunEvent } from '@baton/client';

/** One line about an event, for people who do not know the names of events. */

const MOST_CHARACTERS = 160;

export function eventText(event: RunEvent): string {
  const text = (workText(event) ?? agentText(event) ?? valueText(event) ?? '').replace(/\s+/g, ' ').trim();
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
}

function workText(event: RunEvent): string | undefined {
  switch (event.type) {
    case 'run.started':
      return `${event.payload.workflowId} version ${event.payload.workflowVersion} begins`;
    case 'run.completed':
      return event.payload.goal?.met === false
        ? 'The run ended without its goal'
        : 'The run ended successfully';
    case 'run.failed':
      return `${event.payload.error.code}: ${event.payload.error.message}`;
    case 'run.cancelled':
      return joined('Cancelled', by(event.payload.cancelledBy), event.payload.reason);
    case 'run.paused':
      return joined('Paused', by(event.payload.by), event.payload.reason);
    case 'run.resumed':
      return joined('Resumed', by(event.payload.by));
    case 'node.started':
      return event.payload.attempt > 1
        ? `Attempt ${event.payload.attempt} of ${event.payload.typeId}`
        : event.payload.typeId;
    case 'node.failed':
      return `${event.payload.error.code}: ${event.payload.error.message}`;
    case 'node.retried':
      return `Tried again after ${event.payload.lastError.code}: ${event.payload.lastError.message}`;
    case 'node.skipped':
    case 'node.cancelled':
      return event.payload.reason;
    case 'node.suspended':
      return `Waits: ${event.payload.kind}`;
    case 'node.dispatched':
      return `Starts ${event.payload.childWorkflowId}`;
    case 'interrupt.requested':
      return questionText(event.payload);
    case 'interrupt.resolved':
      return joined(event.payload.outcome, by(event.payload.resolvedBy));
    case 'approval.received':
      return joined(event.payload.action, by(event.payload.decidedBy), event.payload.comment);
    case 'approval.granted':
      return `${event.payload.principal} approves, ${event.payload.quorumProgress.granted} of ${event.payload.quorumProgress.required}`;
    case 'approval.rejected':
    case 'approval.overridden':
      return joined(event.payload.principal, event.payload.reason);
    default:
      return undefined;
  }
}

function agentText(event: RunEvent): string | undefined {
  switch (event.type) {
    case 'runOrchestrator.decided':
      return decisionText(event.payload);
    case 'core.workflowChain.event':
      return joined(PHASES[event.payload.phase], event.payload.error?.message).replace(
        '%',
        event.payload.workerId,
      );
    case 'baton.critic.started':
      return `A critic judges ${event.payload.workerId}, attempt ${event.payload.attempt}`;
    case 'agent.verified':
      return joined(
        `${event.payload.agentId}: ${event.payload.verdict}`,
        event.payload.criteria?.join(', ') ?? '',
      );
    case 'baton.merge.settled':
      return `${event.payload.merged ? 'Merged' : 'Not merged'}: ${event.payload.why}`;
    case 'agent.invocation.started':
      return joined(event.payload.agentId, event.payload.resolvedModel);
    case 'agent.invocation.completed':
      return `${event.payload.agentId}: ${event.payload.outcome}`;
    case 'agent.toolCalled':
      return `Calls the tool ${event.payload.toolName}`;
    case 'agent.toolReturned':
      return `${event.payload.toolName}: ${event.payload.status}`;
    case 'agent.reasoned':
      return event.payload.reasoning;
    case 'agent.handoff':
      return joined(
        `${event.payload.fromAgentId} hands over to ${event.payload.toAgentId}`,
        event.payload.reason,
      );
    case 'agent.decided':
      return `${event.payload.agentId}: ${short(event.payload.decision)}`;
    case 'provider.usage':
      return `${event.payload.model}: ${event.payload.inputTokens} tokens in, ${event.payload.outputTokens} out`;
    case 'baton.effect.intended':
      return event.payload.effect.kind;
    case 'baton.effect.settled':
      return event.payload.error?.message ?? 'Done';
    case 'baton.effect.retried':
      return `Tried again after ${event.payload.lastError.code}`;
    default:
      return undefined;
  }
}

function valueText(event: RunEvent): string | undefined {
  switch (event.type) {
    case 'variable.changed':
      return `${event.payload.name} = ${short(event.payload.next)}`;
    case 'channel.written':
      return `${event.payload.channel} ← ${short(event.payload.value)}`;
    case 'memory.written':
      return `Remembers ${event.payload.memoryId}`;
    case 'workspace.updated':
      return `${event.payload.path}, version ${event.payload.version}`;
    case 'cap.breached':
      return `${event.payload.kind}: ${event.payload.observed} of ${event.payload.limit}`;
    case 'baton.run.branched':
      return `Branched from ${event.payload.sourceRunId} before event ${event.payload.fromSeq}`;
    case 'replay.diverged':
      return `The replay differs from event ${event.payload.atSequence} on: ${event.payload.divergenceKind}`;
    default:
      return undefined;
  }
}

const PHASES: Readonly<Record<EventOf<'core.workflowChain.event'>['payload']['phase'], string>> = {
  'dispatch.began': 'Hands work to %',
  'dispatch.succeeded': '% has begun',
  'dispatch.failed': '% could not be started',
  'child.completed': '% completed',
  'child.failed': '% failed',
  'child.cancelled': '% was cancelled',
  'output.harvested': 'The outputs of % were taken',
};

function joined(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== '').join(', ');
}

function by(principal: string | undefined): string | undefined {
  return principal === undefined ? undefined : `by ${principal}`;
}

/** The beginning of a value as JSON. A long text is cut before it is written out. */
function short(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, MOST_CHARACTERS));
  if (typeof value !== 'object' || value === null) return String(value);
  const names = Object.keys(value);
  return Array.isArray(value) ? `a list of ${names.length}` : `{ ${names.slice(0, 6).join(', ')} }`;
}

export function decisionText({ decision, iteration }: EventOf<'runOrchestrator.decided'>['payload']): string {
  switch (decision.kind) {
    case 'next-worker':
      return `Turn ${iteration}: hands to ${decision.nextWorkerIds.join(', ')}`;
    case 'terminate':
      return joined(`Turn ${iteration}: ends`, decision.reason);
    case 'ask-user':
    case 'clarify':
      return `Turn ${iteration}: asks “${decision.prompt}”`;
    case 'escalate':
      return joined(`Turn ${iteration}: escalates`, decision.reason);
  }
}

/** Why a node waits. */
export function questionText(payload: EventOf<'interrupt.requested'>['payload']): string {
  switch (payload.kind) {
    case 'approval':
      return `Approval${fromWhom(payload.data)}: ${payload.data.title}`;
    case 'clarification':
      return `Question: ${payload.data.questions.map(({ question }) => question).join(' ')}`;
    case 'low-confidence':
      return `Approval: ${payload.data.agentId} is not sure (${payload.data.observed})`;
    case 'external-event':
      return `Waits for the event ${payload.data.eventType}`;
    case 'custom':
      return `Question: ${payload.data.customKind}`;
  }
}

/** ` by 2 of ada, ben, cy`. Empty when any one person may decide. */
function fromWhom({ requiredApprovals = 1, approversList = [] }: ApprovalData): string {
  const people = approversList.length === 0 ? '' : ` of ${approversList.join(', ')}`;
  return requiredApprovals > 1 || people !== '' ? ` by ${requiredApprovals}${people}` : '';
}
