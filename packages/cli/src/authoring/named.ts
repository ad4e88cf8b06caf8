import { type Baton, BatonError } from '@baton/client';
import type { AgentEntry, WorkflowDefinition } from '@baton/protocol';
import { editDistance, nearest } from '../nearest.ts';
import { CommandFailure } from '../output/command-failure.ts';
import { EXIT } from '../output/exit-codes.ts';

/** Workflows and agents by their ids. For an id that the host does not know, the failure names the nearest one. */

export async function workflowNamed(baton: Baton, workflowId: string): Promise<WorkflowDefinition> {
  return await readOr(
    () => baton.workflows.read(workflowId),
    async () => {
      const known = (await baton.workflows.list()).map((one) => one.workflowId);
      return unknownName('workflow', workflowId, known, 'baton workflows list');
    },
  );
}

export async function agentNamed(baton: Baton, agentId: string): Promise<AgentEntry> {
  return await readOr(
    () => baton.agents.read(agentId),
    async () => {
      const known = (await baton.agents.list()).map((one) => one.agentId);
      return unknownName('agent', agentId, known, 'baton agents');
    },
  );
}

async function readOr<T>(read: () => Promise<T>, unknown: () => Promise<CommandFailure>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    // An id that no workflow or agent can have is refused as invalid.
    const isUnknown = error instanceof BatonError && ['not_found', 'validation_error'].includes(error.code);
    throw isUnknown ? await unknown() : error;
  }
}

/** A name further away than half of its letters is no typing mistake. */
export function unknownName(
  kind: string,
  name: string,
  known: readonly string[],
  list: string,
): CommandFailure {
  const near = nearest(name, known);
  const isNear = near !== undefined && editDistance(name, near) <= Math.max(name.length, near.length) / 2;
  return new CommandFailure(`The host has no ${kind} "${name}".`, {
    exit: EXIT.notFound,
    code: 'not_found',
    hint: `${isNear ? `Did you mean "${near}"? ` : ''}"${list}" shows them all.`,
  });
}
