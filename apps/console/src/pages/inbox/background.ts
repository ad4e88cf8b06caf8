import type { EventOf, RunEvent } from '@baton/client';

/** Facts about an open question that the log of its run holds. */

export interface Judgement {
  readonly critic: string;
  readonly verdict: string;
  readonly criteria: readonly string[];
  readonly confidence?: number;
  readonly criticRunId?: string;
}

export interface Vote {
  readonly by: string;
  readonly action: string;
  readonly comment?: string;
  readonly at: string;
}

/** The artifact before the present one: the outputs of an earlier attempt of a worker, or an earlier question. */
export type Revision =
  | { readonly kind: 'run'; readonly runId: string }
  | { readonly kind: 'value'; readonly value: unknown };

export interface Background {
  readonly startedBy?: string;
  readonly judgement?: Judgement | undefined;
  readonly votes: readonly Vote[];
  /** Questions that people have asked back. */
  readonly asked: readonly { readonly by: string; readonly question: string; readonly at: string }[];
  readonly revision?: Revision;
}

interface Place {
  readonly nodeId: string;
  readonly interruptId: string;
}

interface Requested {
  readonly kind: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export function backgroundOf(log: readonly RunEvent[], place: Place): Background {
  const startedBy = log.find((event) => isOf(event, 'run.started'))?.payload.owner?.principal;
  const judgement = judgementOf(log, place);
  const revision = revisionOf(log, place);
  return {
    votes: votesOf(log, place),
    asked: askedOf(log, place),
    ...(startedBy !== undefined && { startedBy }),
    ...(judgement !== undefined && { judgement }),
    ...(revision !== undefined && { revision }),
  };
}

function isOf<T extends RunEvent['type']>(event: RunEvent, type: T): event is EventOf<T> {
  return event.type === type;
}

/** The question as it was recorded. */
export function requestOf(log: readonly RunEvent[], interruptId: string): Requested | undefined {
  return log.findLast((event) => isOf(event, 'interrupt.requested') && event.payload.key === interruptId)
    ?.payload as Requested | undefined;
}

function judgementOf(log: readonly RunEvent[], { nodeId }: Place): Judgement | undefined {
  const verified = log.findLast(
    (event): event is EventOf<'agent.verified'> => isOf(event, 'agent.verified') && event.nodeId === nodeId,
  );
  if (verified === undefined) return undefined;
  const { agentId: critic, verdict, criteria = [], confidence, target } = verified.payload;
  const started = log.findLast(
    (event): event is EventOf<'baton.critic.started'> =>
      isOf(event, 'baton.critic.started') &&
      event.nodeId === nodeId &&
      (event.payload.target ?? event.payload.childRunId) === target,
  );
  return {
    critic,
    verdict,
    criteria,
    ...(confidence !== undefined && { confidence }),
    ...(started !== undefined && { criticRunId: started.payload.criticRunId }),
  };
}

function votesOf(log: readonly RunEvent[], { interruptId }: Place): readonly Vote[] {
  return log.flatMap((event) => {
    if (!isOf(event, 'approval.received') || event.payload.interruptId !== interruptId) return [];
    const { action, voter, decidedBy, comment } = event.payload;
    const by = voter ?? decidedBy ?? 'somebody';
    return [{ by, action, at: event.timestamp, ...(comment !== undefined && { comment }) }];
  });
}

function askedOf(log: readonly RunEvent[], { interruptId }: Place): Background['asked'] {
  return log.flatMap((event) => {
    if (!isOf(event, 'clarification.requested') || event.payload.interruptId !== interruptId) return [];
    const { questions, askedBy = 'somebody' } = event.payload;
    return questions.map(({ question }) => ({ by: askedBy, question, at: event.timestamp }));
  });
}

/** A critic that asks for a revision starts another attempt of the worker; a person who does, another question. */
function revisionOf(log: readonly RunEvent[], { nodeId, interruptId }: Place): Revision | undefined {
  const judged = log.flatMap((event) =>
    isOf(event, 'baton.critic.started') && event.nodeId === nodeId && event.payload.childRunId !== undefined
      ? [{ runId: event.payload.childRunId, attempt: event.payload.attempt }]
      : [],
  );
  const present = judged.at(-1);
  const before = judged.findLast(({ attempt }) => present !== undefined && attempt === present.attempt - 1);
  if (before !== undefined) return { kind: 'run', runId: before.runId };
  const asked = log.flatMap((event) =>
    isOf(event, 'interrupt.requested') && event.nodeId === nodeId
      ? [event.payload as Requested & { key: string }]
      : [],
  );
  const place = asked.findIndex(({ key }) => key === interruptId);
  const earlier = asked[place - 1];
  const now = asked[place];
  if (earlier === undefined || now === undefined || earlier.data.artifactType !== now.data.artifactType)
    return undefined;
  return earlier.data.artifactData === undefined
    ? undefined
    : { kind: 'value', value: earlier.data.artifactData };
}

/** How a question that is no longer open ended. */
export interface Ending {
  readonly outcome: string;
  readonly action?: string;
  readonly by?: string;
  readonly at: string;
}

export function endingOf(log: readonly RunEvent[], interruptId: string): Ending | undefined {
  const resolved = log.findLast(
    (event): event is EventOf<'interrupt.resolved'> =>
      isOf(event, 'interrupt.resolved') && event.payload.interruptId === interruptId,
  );
  if (resolved === undefined) return undefined;
  const { outcome, resolvedBy, resumeValue } = resolved.payload;
  const action = (resumeValue as { readonly action?: unknown } | undefined)?.action;
  return {
    outcome,
    at: resolved.timestamp,
    ...(typeof action === 'string' && { action }),
    ...(resolvedBy !== undefined && { by: resolvedBy }),
  };
}
