import type { WorkflowReads } from '@baton/engine/ports';
import {
  type Agent,
  agentOfWorkflow,
  BatonError,
  type WorkflowDefinition,
  workflowOfWorker,
} from '@baton/protocol';

/** Workflows and agents that a caller may use, as skills. */
export interface Skill {
  /** The id under which it is published. */
  readonly id: string;
  readonly workflowId: string;
  readonly definition: WorkflowDefinition;
  /** Present for an agent. */
  readonly agent?: Agent;
}

/** The skills with these ids, in this order. An id under which nothing is registered for the tenant is left out. */
export async function skillsFor(
  reads: Pick<WorkflowReads, 'workflow'>,
  tenant: string,
  ids: readonly string[],
): Promise<readonly Skill[]> {
  const found = await Promise.all(ids.map((id) => skillOf(reads, tenant, id)));
  return found.flatMap((skill) => skill ?? []);
}

async function skillOf(
  reads: Pick<WorkflowReads, 'workflow'>,
  tenant: string,
  id: string,
): Promise<Skill | undefined> {
  const workflowId = workflowOf(id);
  const record = await reads.workflow(tenant, workflowId);
  if (record === undefined) return undefined;
  const definition = JSON.parse(record.definition) as WorkflowDefinition;
  if (agentOfWorkflow(workflowId) === undefined) return { id, workflowId, definition };
  const agent = definition.nodes[0]?.config?.agent as unknown as Agent;
  return { id, workflowId, definition, agent };
}

/** An agent can be named with or without `agent:`. */
export function workflowOf(id: string): string {
  return agentOfWorkflow(id) === undefined ? workflowOfWorker(id) : id;
}

/**
 * The skill that a message asks for. A refusal lists only what is published to the caller, so it does not tell
 * whether anything else exists.
 */
export function chooseSkill(skills: readonly Skill[], asked: string | undefined): Skill {
  const known = skills.map(({ id }) => id).join(', ');
  if (known === '') {
    throw new BatonError('not_found', 'Nothing is published to this caller; ask the operator of this host.');
  }
  if (asked === undefined) {
    const [only, ...others] = skills;
    if (only !== undefined && others.length === 0) return only;
    throw new BatonError('validation_error', `Name one of these skills in metadata.skillId: ${known}.`, {
      field: 'metadata.skillId',
    });
  }
  const found = skills.find(({ workflowId }) => workflowId === workflowOf(asked));
  if (found !== undefined) return found;
  throw new BatonError('not_found', `"${asked}" is not published to this caller; these are: ${known}.`);
}
