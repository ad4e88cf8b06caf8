import type { AgentEntry } from '@baton/protocol';
import { columns } from '../columns.ts';
import { EXIT, type ExitCode } from '../output/exit-codes.ts';
import { printable } from '../output/paint.ts';
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
  session.out.give(agent, described(agent));
  return EXIT.done;
}

function described(agent: AgentEntry): string {
  const missing = [...(agent.degraded ?? []), ...(agent.memoryDegraded === true ? ['memory'] : [])];
  const rows: readonly (readonly [label: string, text: string | undefined])[] = [
    ['agent', agent.agentId],
    ['label', agent.label],
    ['persona', agent.persona],
    ['description', agent.description],
    ['models', agent.modelClass],
    ['tools', agent.toolAllowlist.join(', ') || 'none'],
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

function firstLine(text: string): string {
  return printable(text).replace(/\s*\n[\s\S]*$/, ' …');
}
