import type { Command } from 'commander';
import { talking } from './talking.ts';

/** Agents, conversations with them, and the memory that runs share. */
export function addAgents(baton: Command): void {
  talking<[string | undefined]>(baton.command('agents [agentId]'), async () => {
    const { listAgents, showAgent } = await import('../talking/agents.ts');
    return (session, agentId) => (agentId === undefined ? listAgents(session) : showAgent(session, agentId));
  })
    .description('List the agents that the host has, or show one of them.')
    .addHelpText('after', '\nExample:\n  baton agents acme.helper');
  talking<[string, string | undefined]>(
    baton.command('chat <agentId> [message]'),
    async () => (await import('../talking/chat.ts')).chat,
  )
    .description('Talk to an agent. Without a message, each line is one; in a pipe, the whole input is one.')
    .option('--conversation <id>', 'go on with an earlier conversation')
    .addHelpText('after', '\nExample:\n  echo "Which tide is next?" | baton chat acme.helper');
}

export function addMemory(baton: Command): void {
  talking<[string | undefined]>(
    baton.command('memory [scopeId]'),
    async () => (await import('../talking/memory.ts')).showMemory,
  )
    .description('List the memory scopes that runs share, or the entries of one as of now, newest first.')
    .option('--tag <tag>', 'only entries with this tag')
    .option('--text <words>', 'only entries whose content has these words')
    .option('--limit <number>', 'at most so many entries')
    .addHelpText('after', '\nExample:\n  baton memory tides --text "high water"');
}
