import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject } from '@baton/protocol';

/** A definition, and its source for error messages. */
export interface NamedDefinition {
  readonly source: string;
  readonly definition: unknown;
}

/**
 * The workflows in a folder, in the order of their paths: every `*.json` of the folder itself, and `workflow.json`
 * and `*.workflow.json` of its subfolders. The folder may also hold agents, so that an example or a pack is one
 * folder: a file with an `agentId` is the manifest of an agent.
 */
export function readWorkflowsFolder(folder: string): readonly NamedDefinition[] {
  return workflowFiles(folder).flatMap(definitionsAt);
}

/** The files of a folder that may hold workflows. */
export function workflowFiles(folder: string): readonly string[] {
  return readdirSync(folder)
    .sort()
    .flatMap((name) => {
      const path = join(folder, name);
      if (!statSync(path).isDirectory()) return name.endsWith('.json') ? [path] : [];
      const inside = readdirSync(path).filter(isWorkflowFile).sort();
      return inside.map((file) => join(path, file));
    });
}

function isWorkflowFile(name: string): boolean {
  return name === 'workflow.json' || name.endsWith('.workflow.json');
}

function definitionsAt(source: string): readonly NamedDefinition[] {
  const definition = readJson(source);
  return isAgent(definition) ? [] : [{ source, definition }];
}

export function isAgent(definition: unknown): boolean {
  return isJsonObject(definition) && 'agentId' in definition;
}

function readJson(source: string): unknown {
  try {
    return JSON.parse(readFileSync(source, 'utf8'));
  } catch (error) {
    throw new Error(`${source} is not valid JSON: ${error instanceof Error ? error.message : error}`);
  }
}
