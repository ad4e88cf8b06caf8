import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { type Agent, isJsonObject, type Json } from '@baton/protocol';
import { resolveAgent } from './resolve-agent.ts';

/** An agent, and its source for error messages. */
interface NamedAgent {
  readonly source: string;
  readonly agent: Agent;
}

/**
 * The agents in a folder, in the order of their paths. A folder with `agent.json` is one agent with its files, and a
 * folder with the `pack.json` of a published pack holds all agents of the pack. Elsewhere, a `*.json` with an
 * `agentId` is a manifest without files. Other files are left alone, because the folder may also hold workflows.
 */
export function readAgentsFolder(folder: string): readonly NamedAgent[] {
  const found = agentsBelow(folder);
  const sources = new Map<string, string>();
  for (const { source, agent } of found) {
    const other = sources.get(agent.agentId);
    if (other !== undefined) {
      throw new Error(
        `${source}: the agentId "${agent.agentId}" is that of ${other} too; change one of them`,
      );
    }
    sources.set(agent.agentId, source);
  }
  return found;
}

function agentsBelow(folder: string): readonly NamedAgent[] {
  if (existsSync(join(folder, 'agent.json')) || existsSync(join(folder, 'pack.json')))
    return agentsIn(folder);
  return namesIn(folder).flatMap((name) => {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return agentsBelow(path);
    return name.endsWith('.json') ? plainAgents(path) : [];
  });
}

/** Without hidden folders and installed packages, which can be large and hold JSON of others. */
function namesIn(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => !name.startsWith('.') && name !== 'node_modules')
    .sort();
}

function plainAgents(path: string): readonly NamedAgent[] {
  const manifest = readJson(path);
  return isJsonObject(manifest) && 'agentId' in manifest ? [named(path, manifest, {})] : [];
}

function agentsIn(folder: string): readonly NamedAgent[] {
  const files = filesOf(folder, folder);
  const single = join(folder, 'agent.json');
  if (existsSync(single)) return [named(single, readJson(single), files)];
  const path = join(folder, 'pack.json');
  const pack = readJson(path);
  const { agents, name, version } = isJsonObject(pack) ? pack : {};
  if (!Array.isArray(agents))
    throw new Error(`${path} has no list "agents"; write the agents of the pack there`);
  return agents.map((manifest, at) => {
    const { baton, ...rest } = isJsonObject(manifest) ? manifest : {};
    const known = {
      ...(typeof name === 'string' && { packName: name }),
      ...(typeof version === 'string' && { packVersion: version }),
    };
    return named(
      `${path} (agents.${at})`,
      { ...rest, baton: { ...known, ...(isJsonObject(baton) && baton) } },
      files,
    );
  });
}

function named(source: string, manifest: Json, files: Readonly<Record<string, Json>>): NamedAgent {
  try {
    return { source, agent: resolveAgent({ manifest, files }) };
  } catch (problem) {
    throw new Error(`${source}: ${problem instanceof Error ? problem.message : String(problem)}`);
  }
}

/** Prompts and schemas, by their paths within the folder. */
function filesOf(root: string, folder: string): Record<string, Json> {
  const files: Record<string, Json> = {};
  for (const name of namesIn(folder)) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) Object.assign(files, filesOf(root, path));
    else if (/\.(md|txt|json)$/.test(name)) {
      const key = relative(root, path).split(sep).join('/');
      files[key] = name.endsWith('.json') ? readJson(path) : readFileSync(path, 'utf8');
    }
  }
  return files;
}

function readJson(path: string): Json {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Json;
  } catch (problem) {
    throw new Error(
      `${path} is not valid JSON: ${problem instanceof Error ? problem.message : String(problem)}`,
    );
  }
}
