import { handoffTool, type Needs, type ToolDescriptor } from '@baton/engine/ports';
import { type Agent, digest } from '@baton/protocol';

const TASK = { type: 'object', required: ['task'], properties: { task: { type: 'string' } } };

/**
 * One tool for each agent that the work can be handed to. Its arguments are the task of that agent. It describes the
 * newest version of the agent, because the run of the other agent begins with the newest version, as every run does.
 */
export async function handoffTools(
  { handoffs = [] }: Needs,
  newest: (agentId: string) => Promise<Agent | undefined> | undefined,
): Promise<readonly ToolDescriptor[]> {
  const targets = [...new Set(handoffs.map(({ agentId }) => agentId))];
  const found = await Promise.all(targets.map(newest));
  return found.flatMap((agent): ToolDescriptor[] => {
    if (agent === undefined) return [];
    const { agentId, persona, description, taskSchema } = agent;
    return [
      {
        id: handoffTool(agentId),
        name: nameFor(agentId),
        description: `Hands the work to ${persona}. ${description ?? ''}`.trim(),
        parameters: taskSchema ?? TASK,
        transport: 'native',
        repeatable: 'yes',
      },
    ];
  });
}

const LONGEST = 64;
const DIGEST = 12;

/**
 * `handoff_to_local_desk_expert` for `local.desk.expert`. The name of an agent whose id is too long, or has an
 * underscore, ends with a digest of the id: `local.a_b.c` and `local.a.b_c` would have the same name.
 */
function nameFor(agentId: string): string {
  const plain = `handoff_to_${agentId.replaceAll('.', '_')}`;
  if (plain.length <= LONGEST && !agentId.includes('_')) return plain;
  return `${plain.slice(0, LONGEST - DIGEST - 1)}_${digest(agentId).slice(0, DIGEST)}`;
}
