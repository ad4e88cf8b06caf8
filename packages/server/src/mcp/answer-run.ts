import { BatonError, canonicalJson, type ErrorCode, type JsonObject } from '@baton/protocol';
import { requireScope } from '../auth/bearer.ts';
import { refusal } from '../http/errors.ts';
import { answerOf } from '../published/answers.ts';
import type { OpenQuestion } from '../published/open-question.ts';
import type { McpCall } from './call.ts';
import { sha256 } from './start-run.ts';

/** Answers an interrupt. The same answer to the same interrupt counts once, so it may be repeated. */
export async function answerRun(
  { host, identity }: McpCall,
  { runId, interruptId, kind }: Pick<OpenQuestion, 'runId' | 'interruptId' | 'kind'>,
  given: JsonObject,
): Promise<void> {
  requireScope(identity, 'approvals:respond');
  const { tenant, principal, scopes } = identity;
  const resumeValue = answerOf(kind, given);
  const digest = sha256(canonicalJson([runId, interruptId, resumeValue]));
  const outcome = await host.engine.execute({
    kind: 'resolve-interrupt',
    caller: { tenant, principal },
    runId,
    target: { interruptId },
    resumeValue,
    viaToken: false,
    scopes: [...scopes],
    idempotency: { key: `mcp:answer:${digest}`, request: digest },
  });
  if (!outcome.ok) throw refusal(outcome.error);
}

const SETTLED: ReadonlySet<ErrorCode> = new Set(['interrupt_resolved', 'interrupt_gone', 'run_terminal']);

/** True when an answer was refused because the interrupt had been answered or had ended before. */
export function cameTooLate(error: unknown): boolean {
  return error instanceof BatonError && SETTLED.has(error.code);
}
