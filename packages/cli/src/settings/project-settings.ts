import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { wrongUsage } from '../output/command-failure.ts';
import { type Environment, type Flags, find } from './given.ts';

/** The settings that a project can state in its package.json, as `"baton": {"workflows": "workflows"}`. */
const MEMBERS = {
  workflows: 'BATON_WORKFLOWS',
  agents: 'BATON_AGENTS',
  models: 'BATON_MODELS',
  tools: 'BATON_TOOLS',
} as const;

/**
 * The environment with the settings of the project in the current folder. A variable or a flag comes first. So
 * `baton serve` in the folder of a project serves the workflows and the agents of the project.
 */
export function withProject(env: Environment, flags: Flags, folder = '.'): Environment {
  const stated = projectIn(folder);
  const wrong = Object.keys(stated).find((name) => !(name in MEMBERS));
  if (wrong !== undefined) {
    throw wrongUsage(
      `package.json: baton.${wrong} is not a setting of a project.`,
      `Use ${Object.keys(MEMBERS).join(', ')}.`,
    );
  }
  const added = Object.entries(MEMBERS).flatMap(([member, name]) => {
    const value = stated[member];
    if (value === undefined || find(name, env, flags) !== undefined) return [];
    if (typeof value === 'string' && value !== '') return [[name, resolve(folder, value)]];
    throw wrongUsage(`package.json: baton.${member} is not the name of a file or folder.`);
  });
  return { ...env, ...Object.fromEntries(added) };
}

function projectIn(folder: string): Readonly<Record<string, unknown>> {
  const text = textOf(resolve(folder, 'package.json'));
  if (text === undefined) return {};
  try {
    const { baton } = JSON.parse(text) as { readonly baton?: unknown };
    return typeof baton === 'object' && baton !== null ? (baton as Readonly<Record<string, unknown>>) : {};
  } catch {
    // A package.json that is not valid JSON is no business of a host.
    return {};
  }
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
