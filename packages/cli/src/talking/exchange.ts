import type { Baton } from '@baton/client';
import type { RunSnapshot } from '@baton/protocol';

/** One message to an agent, and how the agent's run went on. */
export interface Exchange {
  readonly conversationId: string;
  readonly runId: string;
  readonly status: string;
  /** `waits`: a person has to answer something before the agent can go on. */
  readonly end: 'replied' | 'waits' | 'failed';
  readonly reply?: string;
  readonly error?: string;
}

const ASKING = ['approval.requested', 'clarification.requested', 'interrupt.requested'];

/** Sends a message and follows the run of the agent. `part` is called with each part of the reply as it is written. */
export async function exchange(
  baton: Baton,
  agentId: string,
  message: string,
  conversationId: string | undefined,
  part: (text: string) => void,
): Promise<Exchange> {
  const sent = await baton.agents.message(agentId, message, {
    waitSeconds: 0,
    ...(conversationId !== undefined && { conversationId }),
  });
  const ids = { conversationId: sent.conversationId, runId: sent.runId };
  const run = baton.run(sent.runId);
  for await (const item of run.live()) {
    if (item.kind === 'chunk') part(item.chunk.chunk);
    else if (ASKING.includes(item.event.type)) break;
  }
  return { ...ids, ...outcome(await run.snapshot()) };
}

function outcome({ status, variables, error }: RunSnapshot): Omit<Exchange, 'conversationId' | 'runId'> {
  if (status === 'completed') return { status, end: 'replied', reply: resultText(variables) };
  if (status === 'failed' || status === 'cancelled') {
    return { status, end: 'failed', ...(error && { error: error.message }) };
  }
  return { status, end: 'waits' };
}

/** An agent without a return schema gives a text; another one gives a value. */
function resultText({ result }: RunSnapshot['variables']): string {
  return typeof result === 'string' ? result : JSON.stringify(result);
}
