import { connect } from '@baton/client';
import type { Command } from 'commander';
import { hostOf } from '../commands/options.ts';
import { nodeFetch } from '../over-http/node-fetch.ts';
import type { Flags } from '../settings/given.ts';
import { beginning, type CommandTree, candidatesFor } from './candidates.ts';

/** A person waits for the completion of a word, so a host that hangs is not waited for. */
const PATIENCE_MS = 3000;

/** The completions of the last word. Names of workflows and agents come from the host, if one runs. */
export async function complete(
  root: Command,
  words: readonly string[],
  flags: Flags,
): Promise<readonly string[]> {
  const found = candidatesFor(treeOf(root), words);
  if (found.kind === 'words') return found.words;
  if (found.kind === 'files') return [];
  try {
    return beginning(words.at(-1) ?? '', await namesOf(found.kind, flags));
  } catch {
    return [];
  }
}

async function namesOf(kind: 'workflows' | 'agents', flags: Flags): Promise<readonly string[]> {
  const { url, apiKey } = hostOf(flags);
  const baton = connect({
    url,
    patience: { tries: 1 },
    fetch: nodeFetch,
    ...(apiKey !== undefined && { key: apiKey }),
  });
  const signal = AbortSignal.timeout(PATIENCE_MS);
  if (kind === 'agents') return (await baton.agents.list({ signal })).map(({ agentId }) => agentId);
  return (await baton.workflows.list({ signal })).map(({ workflowId }) => workflowId);
}

function treeOf(command: Command): CommandTree {
  const help = command.createHelp();
  return {
    name: command.name(),
    commands: help
      .visibleCommands(command)
      .filter((one) => one.name() !== 'help')
      .map(treeOf),
    options: help
      .visibleOptions(command)
      .flatMap(({ long, required, optional }) =>
        long ? [{ name: long, takesValue: required || optional }] : [],
      ),
    args: command.registeredArguments.map((argument) => argument.name()),
  };
}
