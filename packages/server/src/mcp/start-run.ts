import { createHash } from 'node:crypto';
import { type Command, DEFAULT_LIMITS, type Idempotency } from '@baton/engine';
import {
  agentOfWorkflow,
  BatonError,
  canonicalJson,
  type HandoffMetadata,
  type Json,
  type JsonObject,
  type RunError,
  TRACEPARENT_PATTERN,
} from '@baton/protocol';
import { requireScope } from '../auth/bearer.ts';
import { refusal } from '../http/errors.ts';
import { handoffOf, lineageHere, originOf, rejectionOf } from '../published/handoff.ts';
import type { Skill } from '../published/skills.ts';
import { limitsIn } from '../settings.ts';
import type { McpCall, RequestMeta } from './call.ts';

/** Starts the run of a tool call. */

/** The run, or why the work that another host hands over is not taken. */
type StartedRun = { readonly runId: string } | { readonly rejected: RunError };

/** Where a caller puts the key that makes repeated calls one run. */
const IDEMPOTENCY_META = 'dev.baton/idempotencyKey';
const TRACEPARENT_META = 'traceparent';

export async function startRun(
  call: McpCall,
  worker: Skill,
  inputs: JsonObject,
  meta: RequestMeta,
): Promise<StartedRun> {
  const { host, identity } = call;
  requireScope(identity, 'runs:create');
  const handoff = handoffOf(meta, identity.peer);
  const { workflowId } = worker;
  const lineage = handoff && lineageHere(handoff, host.hostId);
  const { maxDepth } = { ...DEFAULT_LIMITS, ...limitsIn(host.settings) };
  const rejection = lineage && rejectionOf(lineage, { workflowId, maxDepth });
  if (rejection) return { rejected: rejection };
  const idempotency = idempotencyOf({ workflowId, inputs }, meta, handoff);
  const { tenant, principal, scopes, peer } = identity;
  const traceparent = handoff?.traceparent ?? tracedBy(meta) ?? call.traceparent;
  const agentId = agentOfWorkflow(workflowId);
  const command: Command = {
    kind: 'create-run',
    caller: { tenant, principal },
    body: { ...(agentId === undefined ? { workflowId } : { agentId }), inputs },
    scopes: [...scopes],
    ...(traceparent !== undefined && { traceparent }),
    ...(handoff && peer && { origin: originOf('mcp-tool-call', handoff, peer) }),
    ...(lineage && { lineage }),
    ...(idempotency && { idempotency }),
  };
  const outcome = await host.engine.execute(command);
  if (!outcome.ok) throw refusal(outcome.error);
  if (outcome.value.kind !== 'run') throw new Error(`the engine answered with ${outcome.value.kind}`);
  if (!outcome.replayed) host.metrics.runsCreated.inc();
  return { runId: outcome.value.runId };
}

const TRACEPARENT = new RegExp(TRACEPARENT_PATTERN);

/** The trace context in the metadata of a call. A malformed one is ignored, as the standard requires. */
function tracedBy(meta: RequestMeta): string | undefined {
  const given = meta?.[TRACEPARENT_META];
  return typeof given === 'string' && TRACEPARENT.test(given) ? given : undefined;
}

/** Calls without a key are separate runs. The trace context may differ when a call is repeated. */
function idempotencyOf(
  asked: { readonly workflowId: string; readonly inputs: JsonObject },
  meta: RequestMeta,
  handoff: HandoffMetadata | undefined,
): Idempotency | undefined {
  const key = handoff ? `handoff ${handoff.idempotencyKey}` : keyIn(meta);
  if (key === undefined) return undefined;
  const request = { ...asked, ...(handoff && { handoff: { ...handoff, traceparent: '' } }) };
  return { key: `mcp:${sha256(key)}`, request: sha256(canonicalJson(request as Json)) };
}

/** The key is stored as a digest, because it may hold a secret. */
function keyIn(meta: RequestMeta): string | undefined {
  const key = meta?.[IDEMPOTENCY_META];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && key.length > 0 && key.length <= 255) return `call ${key}`;
  throw new BatonError('validation_error', `${IDEMPOTENCY_META} must be a text of 1 to 255 characters.`);
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
