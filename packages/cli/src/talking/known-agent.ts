import { BatonError } from '@baton/client';
import type { AgentEntry } from '@baton/protocol';
import { CommandFailure } from '../output/command-failure.ts';
import { EXIT } from '../output/exit-codes.ts';
import { suggestion } from '../runs/known-names.ts';
import type { Session } from '../session.ts';

/** The agent. If the host has no such agent, the failure names the one with the nearest id. */
export async function knownAgent({ baton }: Session, agentId: string): Promise<AgentEntry> {
  try {
    return await baton.agents.read(agentId);
  } catch (error) {
    // An id that no agent can have is refused as invalid.
    const isUnknown = error instanceof BatonError && ['not_found', 'validation_error'].includes(error.code);
    if (!isUnknown) throw error;
    const known = (await baton.agents.list()).map((agent) => agent.agentId);
    const like = suggestion(agentId, known);
    throw new CommandFailure(`There is no agent ${agentId}.`, {
      exit: EXIT.notFound,
      code: 'not_found',
      hint: like === undefined ? '"baton agents" lists the agents.' : `Did you mean ${like}?`,
      cause: error,
    });
  }
}
