import { foldToRead } from '@baton/engine';
import type { RunRow } from '@baton/engine/ports';
import { agentWorkflowId, isTerminal, type Json } from '@baton/protocol';
import type { HostContext } from '../http/context.ts';
import { inTurn } from '../http/fair-schedule.ts';

/** A conversation with an agent: the runs with its tag. Each message is a run, and the answer is its result. */

/** The latest turns that the agent is told, and how long they may be together. */
const MOST_TURNS = 20;
const MOST_CHARACTERS = 32 * 1024;

interface Turn {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

export function conversationTag(conversationId: string): string {
  return `conversation:${conversationId}`;
}

/** The earlier turns, the oldest first, or the run that has not answered the last message yet. */
export async function historyOf(
  { reads, turns: schedule }: Pick<HostContext, 'reads' | 'turns'>,
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
    const { stored } = view;
    const { variables, inputs } = await inTurn(schedule, tenant, () => foldToRead(stored));
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
