import type { AgentEntry, AgentTool } from '@baton/protocol';
import { columns } from '../columns.ts';
import { EXIT, type ExitCode } from '../output/exit-codes.ts';
import type { Session } from '../session.ts';
import { knownAgent } from './known-agent.ts';

/** The agents that a host has. */

export async function listAgents({ baton, out }: Session): Promise<ExitCode> {
  const agents = await baton.agents.list();
  if (out.form === 'json') {
    for (const agent of agents) out.give(agent, '');
    return EXIT.done;
  }
  if (agents.length === 0)
    out.note('There are no agents yet; BATON_AGENTS names a folder of them for "baton serve".');
  else
    out.give(
      agents,
      columns([
        ['AGENT', 'MODELS', 'TOOLS', 'DESCRIPTION'],
        ...agents.map(({ agentId, modelClass, toolAllowlist, description, label }) => [
          agentId,
          modelClass,
          String(toolAllowlist.length),
          firstLine(description ?? label),
        ]),
      ]),
    );
  return EXIT.done;
}

export async function showAgent(session: Session, agentId: string): Promise<ExitCode> {
  const agent = await knownAgent(session, agentId);
  const { tools } = await session.baton.agents.tools(agentId);
  session.out.give({ ...agent, tools }, described(agent, tools));
  return EXIT.done;
}

function described(agent: AgentEntry, tools: readonly AgentTool[]): string {
  const missing = [...(agent.degraded ?? []), ...(agent.memoryDegraded === true ? ['memory'] : [])];
  const rows: readonly (readonly [label: string, text: string | undefined])[] = [
    ['agent', agent.agentId],
    ['label', agent.label],
    ['persona', agent.persona],
    ['description', agent.description],
    ['models', agent.modelClass],
    ['tools', tools.length === 0 ? 'none' : undefined],
    ...tools.map((tool) => ['tool', toolText(tool)] as const),
    ['pack', `${agent.packName} ${agent.packVersion}`],
    [
      'confidence',
      agent.confidenceThreshold === undefined
        ? undefined
        : `a person decides below ${agent.confidenceThreshold}`,
    ],
    ['missing here', missing.length === 0 ? undefined : missing.join(', ')],
  ];
  return columns(rows.flatMap(([label, text]) => (text === undefined ? [] : [[label, firstLine(text)]])));
}

/** For example `mcp:files/write_file (needs workspace:write, a person approves each call)`. */
function toolText({ id, scopes, approval }: AgentTool): string {
  const needs = [
    ...(scopes.length > 0 ? [`needs ${scopes.join(' and ')}`] : []),
    ...(approval ? ['a person approves each call'] : []),
  ];
  return needs.length === 0 ? id : `${id} (${needs.join(', ')})`;
}

function firstLine(text: string): string {
  return text.replace(/\s*\n[\s\S]*$/, ' …');
}
