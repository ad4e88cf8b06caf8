import { brokenSchema, isJsonObject, isScope, type JsonObject, SCOPES } from '@baton/protocol';
import type { JsonPath } from '../files/json-places.ts';
import type { ConfiguredValue, ConfiguredValues, Repeatable } from './tools-config.ts';

/** Reads values of a tools file. Every mistake is an exception that says what to write instead. */

/** A value of the file and the way to it. */
export interface At {
  readonly path: JsonPath;
  readonly value: unknown;
}

export class Mistake extends Error {
  readonly path: JsonPath;

  constructor(path: JsonPath, problem: string) {
    super(problem);
    this.path = path;
  }
}

export type Environment = Readonly<Record<string, string | undefined>>;

export function member({ path, value }: At, name: string): At {
  return {
    path: [...path, name],
    value: isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined,
  };
}

/** The members of an object that may have these names only; without names, any. */
export function members(at: At, names?: readonly string[]): readonly (readonly [string, At])[] {
  if (!isJsonObject(at.value)) throw new Mistake(at.path, 'must be an object: write {…}');
  const given = Object.keys(at.value);
  const unknown = names === undefined ? undefined : given.find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw new Mistake([...at.path, unknown], `is not known here; write one of ${names?.join(', ')}`);
  }
  return given.map((name) => [name, member(at, name)]);
}

export function has(at: At): boolean {
  return at.value !== undefined;
}

export function text({ path, value }: At, example: string): string {
  if (typeof value !== 'string' || value === '')
    throw new Mistake(path, `must be a text, such as ${example}`);
  return value;
}

export function texts(at: At, example: string): readonly string[] {
  if (!has(at)) return [];
  if (!Array.isArray(at.value)) throw new Mistake(at.path, `must be a list, such as ${example}`);
  return at.value.map((value: unknown, index) => text({ path: [...at.path, index], value }, example));
}

export function yesOrNo({ path, value = false }: At): boolean {
  if (typeof value !== 'boolean') throw new Mistake(path, 'must be true or false');
  return value;
}

export function wholeNumber({ path, value }: At, most: number, example: number): number {
  const isWhole = typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= most;
  if (!isWhole) throw new Mistake(path, `must be a whole number from 1 to ${most}, such as ${example}`);
  return value;
}

export function oneOf<T extends string>({ path, value }: At, words: readonly T[]): T {
  const found = words.find((word) => word === value);
  if (found === undefined)
    throw new Mistake(path, `must be one of ${words.map((word) => `"${word}"`).join(', ')}`);
  return found;
}

const REPEATABLE: readonly Repeatable[] = ['yes', 'no', 'unknown'];

export function repeatable(at: At): Repeatable {
  return oneOf(at, REPEATABLE);
}

export function scopes(at: At): readonly string[] {
  const given = texts(at, '["workspace:write"]');
  const wrong = given.findIndex((scope) => !isScope(scope));
  if (wrong === -1) return given;
  throw new Mistake([...at.path, wrong], `is not a scope; write one of ${SCOPES.join(', ')}`);
}

/** The schema of an object. */
export function schema(at: At): JsonObject {
  const { path, value } = at;
  if (!isJsonObject(value)) throw new Mistake(path, 'must be a JSON Schema, such as {"type": "object"}');
  const broken = brokenSchema(value);
  if (broken !== undefined) throw new Mistake(path, `is not a schema that can be used: ${broken}`);
  return value;
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** The client writes these itself. */
const RESERVED = /^(?:host|connection|content-length|transfer-encoding|upgrade|te|trailer)$/i;

export function headers(at: At, env: Environment): ConfiguredValues {
  if (!has(at)) return {};
  for (const [name, { path }] of members(at)) {
    if (!TOKEN.test(name) || RESERVED.test(name))
      throw new Mistake(path, 'is not a header that can be set here');
  }
  const values = configured(at, env);
  for (const [name, value] of Object.entries(values)) {
    const isText = value.kind === 'secret' ? isHeaderText(value.prefix) : isHeaderText(value.text);
    if (!isText) throw new Mistake([...at.path, name], 'has a character that a header cannot have');
  }
  return values;
}

function isHeaderText(value: string): boolean {
  return /^[\t\x20-\x7e]*$/.test(value);
}

/** Texts, `{"env": NAME}` and `{"secret": NAME}`. */
export function configured(at: At, env: Environment): ConfiguredValues {
  if (!has(at)) return {};
  return Object.fromEntries(members(at).map(([name, value]) => [name, configuredValue(value, env)]));
}

function configuredValue(at: At, env: Environment): ConfiguredValue {
  if (typeof at.value === 'string') return { kind: 'plain', text: at.value };
  if (!isJsonObject(at.value)) {
    throw new Mistake(at.path, 'must be a text, {"env": "NAME"} or {"secret": "NAME"}');
  }
  members(at, ['env', 'secret', 'prefix']);
  const [variable, secret, before] = [member(at, 'env'), member(at, 'secret'), member(at, 'prefix')];
  if (has(variable) === has(secret)) throw new Mistake(at.path, 'must have either "env" or "secret"');
  const prefix = has(before) ? text(before, '"Bearer "') : '';
  if (has(secret)) return { kind: 'secret', name: text(secret, '"TICKETS_TOKEN"'), prefix };
  const name = text(variable, '"TICKETS_TOKEN"');
  const value = Object.hasOwn(env, name) ? env[name] : undefined;
  if (value === undefined || value === '') {
    throw new Mistake(
      variable.path,
      `names the environment variable ${name}, which is not set; set it before the start`,
    );
  }
  return { kind: 'env', text: value, prefix };
}
