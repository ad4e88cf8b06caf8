import { join } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The environment with the examples in place of the settings that the operator left out. The tools of the examples
 * are for their agents, so they are left out too when the operator has other agents.
 */
export function withExamples(
  env: Environment,
  flags: Readonly<Record<string, unknown>>,
  folder: string,
): Environment {
  const isUnset = (name: string, flag: string) => (env[name] ?? '') === '' && flags[flag] === undefined;
  const exampleAgents = isUnset('BATON_AGENTS', 'agents');
  return {
    ...env,
    ...(isUnset('BATON_WORKFLOWS', 'workflows') && { BATON_WORKFLOWS: folder }),
    ...(exampleAgents && { BATON_AGENTS: folder }),
    ...(exampleAgents &&
      isUnset('BATON_TOOLS', 'tools') && { BATON_TOOLS: join(folder, 'support-triage', 'tools.json') }),
  };
}
