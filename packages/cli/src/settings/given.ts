import type { StorageLocation } from '@baton/server/storage';

/**
 * What the environment and the flags of a command say. No other file reads the environment. This file imports nothing
 * that takes time to load, because every command needs it.
 */

export type Environment = Readonly<Record<string, string | undefined>>;
/** Keyed by the flag in camel case, as the command line parser returns them. */
export type Flags = Readonly<Record<string, unknown>>;

type Name = `BATON_${string}`;

/** The text of a setting, and the name of the variable or flag that it came from. */
interface Given {
  readonly text: string;
  readonly as: string;
}

export function environment(): Environment {
  return process.env;
}

/** `BATON_API_KEY` is `--api-key` on the command line. */
export function flagOf(name: Name): string {
  return `--${name.slice('BATON_'.length).toLowerCase().replaceAll('_', '-')}`;
}

export function find(name: Name, env: Environment, flags: Flags): Given | undefined {
  const flag = flagOf(name);
  const fromFlag = flags[camelCase(flag)];
  if (fromFlag === true) return { text: '1', as: flag };
  if (typeof fromFlag === 'string') return { text: fromFlag, as: flag };
  const fromEnv = env[name];
  return fromEnv === undefined || fromEnv === '' ? undefined : { text: fromEnv, as: name };
}

function camelCase(flag: string): string {
  return flag.slice(2).replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

/** The data folder where neither a flag nor the environment names one. */
export const USUAL_DATA_FOLDER = './.baton';

export function dataFolder(env: Environment, flags: Flags): string {
  return find('BATON_DATA', env, flags)?.text ?? USUAL_DATA_FOLDER;
}

/** Where the data are that a command reads or changes. */
export function storageLocation(env: Environment, flags: Flags): StorageLocation {
  const url = find('BATON_DATABASE_URL', env, flags)?.text;
  return url === undefined ? { kind: 'sqlite', folder: dataFolder(env, flags) } : { kind: 'postgres', url };
}

/** The file with the audit key. Commands that check signatures need it too. */
export function auditKeyFile(env: Environment, flags: Flags): string | undefined {
  return find('BATON_AUDIT_KEY', env, flags)?.text;
}

/** The id of this host that the environment sets. */
export function ownHostId(env: Environment): string | undefined {
  return find('BATON_HOST_ID', env, {})?.text;
}
