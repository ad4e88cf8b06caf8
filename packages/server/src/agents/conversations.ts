import { foldToRead } from '@baton/engine';
import type { RunReads, RunRow } from '@baton/engine/ports';
import { agentWorkflowId, isTerminal, type Json } from '@baton/protocol';

/** A conversation with an agent: the runs with its tag. Each message is a run, and the answer is its result. */

/** The latest turns that the agent is told, and how long they may be together. */
const MOST_TURNS = 20;
const MOST_CHARACTERS = 32 * 1024;

export interface Turn {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

export function conversationTag(conversationId: string): string {
  return `conversation:${conversationId}`;
}

/** The earlier turns, the oldest first, or the run that has not answered the last message yet. */
export async function historyOf(
  reads: Pick<RunReads, 'runs' | 'runView'>,
  tenant: string,
  agentId: string,
  conversationId: string,
): Promise<{ readonly turns: readonly Turn[]; readonly open?: RunRow }> {
  const workflowId = agentWorkflowId(agentId);
  const tag = conversationTag(conversationId);
  const page = await reads.runs({ tenant, workflowId, tag, limit: MOST_TURNS });
  const open = page.items.find(({ status }) => !isTerminal(status));
  if (open) return { turns: [], open };
  const turns: Turn[] = [];
  let left = MOST_CHARACTERS;
  for (const row of page.items) {
    const view = row.status === 'completed' ? await reads.runView(tenant, row.runId, 0) : undefined;
    if (view?.stored === undefined || row.erasedAt !== undefined) continue;
    const { variables, inputs } = foldToRead(view.stored);
    const exchange: Turn[] = [
      { role: 'user', content: textOf(inputs.task) },
      { role: 'assistant', content: textOf(variables.result) },
    ];
    left -= exchange.reduce((sum, { content }) => sum + content.length, 0);
    if (left < 0) break;
    turns.unshift(...exchange);
  }
  return { turns };
}

export function textOf(value: Json | undefined): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
