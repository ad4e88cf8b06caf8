import { createHash } from 'node:crypto';
import type { Message, Task } from '@a2a-js/sdk';
import { type Command, DEFAULT_LIMITS, type Idempotency } from '@baton/engine';
import {
  agentOfWorkflow,
  canonicalJson,
  type HandoffMetadata,
  type Json,
  type JsonObject,
  type RunError,
} from '@baton/protocol';
import { requireScope } from '../auth/bearer.ts';
import { refusal } from '../http/errors.ts';
import { publishedTo } from '../peers/published.ts';
import { handoffOf, lineageHere, originOf, rejectionOf } from '../published/handoff.ts';
import { chooseSkill, type Skill, skillsFor } from '../published/skills.ts';
import { limitsIn } from '../settings.ts';
import type { A2aCall } from './call.ts';
import { contentOf, inputsFor, skillAsked, tracedBy } from './message.ts';
import { CONTEXT_TAG, rejectedTask } from './task.ts';

/** Starts the run that a message asks for. The same message always has the same run. */

/** The run of a message, or the task that says why none was started. */
export type StartedTask = { readonly runId: string } | { readonly rejected: Task };

export async function startTask(call: A2aCall, message: Message): Promise<StartedTask> {
  const { host, identity } = call;
  requireScope(identity, 'runs:create');
  const handoff = handoffOf(message.metadata, identity.peer);
  const ids = [...publishedTo(identity, host.settings)];
  const skills = await skillsFor(host.reads, identity.tenant, ids);
  const skill = chooseSkill(skills, handoff?.worker ?? skillAsked(message));
  const inputs = inputsFor(skill, contentOf(message));
  const lineage = handoff && lineageHere(handoff, host.hostId);
  const { maxDepth } = { ...DEFAULT_LIMITS, ...limitsIn(host.settings) };
  const rejection = lineage && rejectionOf(lineage, { workflowId: skill.workflowId, maxDepth });
  const idempotency = idempotencyOf(message, handoff);
  if (rejection !== undefined) return rejected(call, message, idempotency, rejection);
  const command = commandOf(call, { message, handoff, skill, inputs, lineage });
  const outcome = await host.engine.execute({ ...command, idempotency });
  if (!outcome.ok) {
    const { error: code, message: text } = outcome.error;
    // The message is right, but the host does not take it now.
    if (code === 'run_held') return rejected(call, message, idempotency, { code, message: text });
    throw refusal(outcome.error);
  }
  if (outcome.value.kind !== 'run') throw new Error(`the engine answered with ${outcome.value.kind}`);
  if (!outcome.replayed) host.metrics.runsCreated.inc();
  return { runId: outcome.value.runId };
}

interface Work {
  readonly message: Message;
  readonly handoff: HandoffMetadata | undefined;
  readonly skill: Skill;
  readonly inputs: JsonObject;
  readonly lineage: readonly string[] | undefined;
}

function commandOf(
  { identity, traceparent: header }: A2aCall,
  { message, handoff, skill, inputs, lineage }: Work,
): Extract<Command, { kind: 'create-run' }> {
  const { tenant, principal, scopes, peer } = identity;
  const { messageId, contextId } = message;
  const traceparent = handoff?.traceparent ?? tracedBy(message) ?? header;
  const agentId = agentOfWorkflow(skill.workflowId);
  return {
    kind: 'create-run',
    caller: { tenant, principal },
    body: {
      ...(agentId === undefined ? { workflowId: skill.workflowId } : { agentId }),
      inputs,
      ...(contextId !== '' && { tags: [CONTEXT_TAG + contextId] }),
      metadata: { a2a: { messageId } },
    },
    scopes: [...scopes],
    ...(traceparent !== undefined && { traceparent }),
    ...(handoff && peer && { origin: originOf('a2a-message', handoff, peer) }),
    ...(lineage && { lineage }),
  };
}

/**
 * The key is stored as a digest, because it may be long or hold a secret. The digest of the request covers everything
 * that determines the run, and no trace context, which may differ when the message is sent again.
 */
function idempotencyOf(message: Message, handoff: HandoffMetadata | undefined): Idempotency {
  const { messageId, contextId, parts, metadata } = message;
  const asked = handoff
    ? { ...handoff, traceparent: undefined }
    : { contextId, skillId: (metadata?.skillId ?? null) as Json };
  const request = JSON.parse(JSON.stringify({ asked, parts: parts.map(({ content }) => content) })) as Json;
  const key = handoff ? handoffReplyKey(handoff.idempotencyKey) : replyKey(`message ${messageId}`);
  return { key, request: sha256(canonicalJson(request)) };
}

/** The key under which the run of a handoff is remembered. */
export function handoffReplyKey(idempotencyKey: string): string {
  return replyKey(`handoff ${idempotencyKey}`);
}

function replyKey(text: string): string {
  return `a2a:${sha256(text)}`;
}

function rejected(
  { host }: A2aCall,
  { messageId, contextId }: Message,
  { key }: Idempotency,
  error: RunError,
): StartedTask {
  const id = `rejected-${sha256(`${messageId} ${key}`).slice(0, 32)}`;
  return { rejected: rejectedTask(id, contextId === '' ? id : contextId, host.hostId, error) };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
