import { isJsonObject, type Json } from '@baton/protocol';
import {
  DEFAULTS,
  OPENAI_APIS,
  PROVIDER_KINDS,
  type ProviderConfig,
  type ProviderKey,
  type ProviderKind,
} from '../models-config.ts';
import type { FileProblems, Path } from './file-problems.ts';

/** Reads one provider of the models file. */

/** The value of a variable of the environment. */
export type Variable = (name: string) => string | undefined;

const FIELDS = [
  'kind',
  'baseURL',
  'api',
  'key',
  'headers',
  'concurrency',
  'maxOutputTokens',
  'firstByteSeconds',
  'silenceSeconds',
  'totalSeconds',
  'structuredOutputs',
];
/** The HTTP client of Node.js waits no longer than this. */
const MAX_SECONDS = 300;
const MAX_TOTAL_SECONDS = 86_400;

export function readProvider(
  id: string,
  given: Json,
  variable: Variable,
  problems: FileProblems,
): ProviderConfig | undefined {
  const path = ['providers', id];
  if (!/^[a-z][a-z0-9._-]{0,63}$/.test(id)) {
    problems.add(path, 'is not a name for a provider; write lower-case letters, digits, dots and dashes');
  }
  if (!isJsonObject(given)) {
    problems.add(
      path,
      'must be an object such as {"kind": "openai-compatible", "baseURL": "http://127.0.0.1:11434/v1"}',
    );
    return undefined;
  }
  for (const field of Object.keys(given)) {
    if (!FIELDS.includes(field))
      problems.add([...path, field], `is not known; write one of ${FIELDS.join(', ')}`);
  }
  const kind = PROVIDER_KINDS.find((known) => known === given.kind);
  if (kind === undefined) {
    problems.add([...path, 'kind'], `must be one of ${PROVIDER_KINDS.join(', ')}`);
    return undefined;
  }
  const baseURL = readAddress(kind, given.baseURL, [...path, 'baseURL'], problems);
  const key = readKey(kind, given.key, baseURL !== undefined, variable, [...path, 'key'], problems);
  const api = OPENAI_APIS.find((known) => known === given.api);
  if (given.api !== undefined && (api === undefined || kind !== 'openai')) {
    problems.add(
      [...path, 'api'],
      'must be "responses" or "chat", and only a provider of the kind openai has it',
    );
  }
  const headers = readHeaders(given.headers, variable, [...path, 'headers'], problems);
  const whole = (name: string, most: number, unset: number) =>
    readWhole(given[name], most, unset, [...path, name], problems);
  return {
    kind,
    ...(baseURL !== undefined && { baseURL }),
    ...(api !== undefined && { api }),
    ...(key !== undefined && { key }),
    ...(headers !== undefined && { headers }),
    concurrency: whole('concurrency', 10_000, DEFAULTS.concurrency),
    maxOutputTokens: whole('maxOutputTokens', 10_000_000, DEFAULTS.maxOutputTokens),
    firstByteMs: whole('firstByteSeconds', MAX_SECONDS, DEFAULTS.firstByteMs / 1000) * 1000,
    silenceMs: whole('silenceSeconds', MAX_SECONDS, DEFAULTS.silenceMs / 1000) * 1000,
    totalMs: whole('totalSeconds', MAX_TOTAL_SECONDS, DEFAULTS.totalMs / 1000) * 1000,
    structuredOutputs: readSwitch(given.structuredOutputs, [...path, 'structuredOutputs'], problems),
  };
}

function readAddress(
  kind: ProviderKind,
  given: Json | undefined,
  path: Path,
  problems: FileProblems,
): string | undefined {
  if (given === undefined) {
    if (kind === 'openai-compatible') problems.add(path, `is missing; write ${EXAMPLE_ADDRESS}`);
    return undefined;
  }
  const isAddress = typeof given === 'string' && /^https?:/.test(given) && URL.canParse(given);
  if (!isAddress) {
    problems.add(path, `is not an address; write ${EXAMPLE_ADDRESS}`);
    return undefined;
  }
  const { username, password, search } = new URL(given);
  if (username !== '' || password !== '' || search !== '') {
    problems.add(path, 'must not hold a name, a password or a query; write the key in "key"');
  }
  return given.replace(/\/+$/, '');
}

const EXAMPLE_ADDRESS = 'the beginning of its API, such as "http://127.0.0.1:11434/v1"';

function readKey(
  kind: ProviderKind,
  given: Json | undefined,
  isElsewhere: boolean,
  variable: Variable,
  path: Path,
  problems: FileProblems,
): ProviderKey | undefined {
  if (given === undefined) {
    const isNeeded = kind !== 'scripted' && kind !== 'openai-compatible' && !isElsewhere;
    if (isNeeded) problems.add(path, `is missing; write ${KEY_FORMS}`);
    return undefined;
  }
  if (isJsonObject(given) && Object.keys(given).length === 1) {
    const { env, secret } = given;
    if (typeof secret === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(secret)) return { secret };
    if (typeof env === 'string' && isVariableName(env)) {
      const value = variable(env);
      if (value !== undefined && value !== '') return { value };
      problems.add(path, `names the variable ${env}, which is not set; set it, or remove the provider`);
      return undefined;
    }
  }
  problems.add(path, `must be ${KEY_FORMS}; the key itself does not belong in this file`);
  return undefined;
}

const KEY_FORMS = '{"env": "NAME_OF_A_VARIABLE"} or {"secret": "name-of-a-secret"}';

function isVariableName(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(name);
}

function readHeaders(
  given: Json | undefined,
  variable: Variable,
  path: Path,
  problems: FileProblems,
): Readonly<Record<string, string>> | undefined {
  if (given === undefined) return undefined;
  if (!isJsonObject(given)) {
    problems.add(path, 'must be an object of names and values');
    return undefined;
  }
  const read: [string, string][] = [];
  for (const [name, value] of Object.entries(given)) {
    const env = isJsonObject(value) ? value.env : undefined;
    const text = typeof env === 'string' && isVariableName(env) ? variable(env) : value;
    if (typeof text !== 'string' || !/^[\x20-\x7e]*$/.test(text) || !/^[A-Za-z0-9-]+$/.test(name)) {
      problems.add(
        [...path, name],
        'must be a text, or {"env": "NAME"} with the name of a variable that is set',
      );
    } else read.push([name, text]);
  }
  return Object.fromEntries(read);
}

function readWhole(
  given: Json | undefined,
  most: number,
  unset: number,
  path: Path,
  problems: FileProblems,
): number {
  if (given === undefined) return unset;
  if (typeof given === 'number' && Number.isInteger(given) && given >= 1 && given <= most) return given;
  problems.add(path, `must be a whole number from 1 to ${most}, such as ${unset}`);
  return unset;
}

function readSwitch(given: Json | undefined, path: Path, problems: FileProblems): boolean {
  if (given === undefined || typeof given === 'boolean') return given ?? DEFAULTS.structuredOutputs;
  problems.add(path, 'must be true or false');
  return DEFAULTS.structuredOutputs;
}
