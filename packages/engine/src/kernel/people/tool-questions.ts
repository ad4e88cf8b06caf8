import { BatonError } from '@baton/protocol';
import type { OpenInterrupt, Run } from '../run.ts';

/** Questions about the tool calls of agents. The types of their artifacts. */
export const TOOL_APPROVAL = 'tool-call';
export const LOST_CALL = 'lost-tool-call';

/**
 * Refuses an answer that names only the node, if the node has asked about another tool call before. Such
 * questions follow one another within milliseconds, so a repeated answer would approve a call that the person
 * has not seen.
 */
export function requireNamedQuestion({ artifacts }: Run, { request, key }: OpenInterrupt): void {
  if (request.kind !== 'approval') return;
  const { artifactType } = request.data;
  if (artifactType !== TOOL_APPROVAL && artifactType !== LOST_CALL) return;
  const attempt = key.slice(0, key.lastIndexOf(':') + 1);
  const isFirst = !Object.keys(artifacts).some((id) => id !== key && id.startsWith(attempt));
  if (isFirst) return;
  const message = `The node has asked about several tool calls; send "interruptId": "${key}" beside the answer to answer its present question.`;
  throw new BatonError('interrupt_resolved', message, { interruptId: key });
}
