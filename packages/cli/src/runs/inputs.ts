import { readFileSync } from 'node:fs';
import type { Json } from '@baton/protocol';
import { wrongUsage } from '../output/command-failure.ts';

/** The values that a command was given with `--input name=value` and `--input-file`. */

export interface InputFlags {
  readonly input?: readonly string[];
  readonly inputFile?: string;
}

/**
 * A value is read as JSON if it is JSON, else as text: `count=3` is a number, `topic=owls` and `topic="3"` are texts.
 * The value of a variable that holds a text is always text: `version=2.0` is not the number 2.
 */
export function inputsOf(
  { input = [], inputFile }: InputFlags,
  texts: ReadonlySet<string> = new Set(),
): Readonly<Record<string, Json>> {
  const pairs = input.map(pairOf).map(([name, text]) => {
    const value = givenValue(text);
    return [name, texts.has(name) && typeof value !== 'string' ? text : value] as const;
  });
  return { ...(inputFile !== undefined && objectIn(inputFile)), ...Object.fromEntries(pairs) };
}

/** Whether a value could be a text and is read as something else. */
export function isAmbiguous({ input = [] }: InputFlags): boolean {
  return input.some((given) => typeof givenValue(pairOf(given)[1]) !== 'string');
}

function pairOf(given: string): readonly [name: string, text: string] {
  const at = given.indexOf('=');
  if (at < 1)
    throw wrongUsage(
      `--input ${given} has no name.`,
      'Write --input name=value, for example --input topic=owls.',
    );
  return [given.slice(0, at), given.slice(at + 1)];
}

export function givenValue(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

function objectIn(file: string): Readonly<Record<string, Json>> {
  const value = jsonIn(file);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Readonly<Record<string, Json>>;
  }
  throw wrongUsage(
    `${nameOf(file)} holds no JSON object.`,
    'Write one with the inputs, such as {"topic": "owls"}.',
  );
}

/** The JSON value in a file. `-` is standard input. */
export function jsonIn(file: string): Json {
  let text: string;
  try {
    text = readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (error) {
    throw wrongUsage(`${nameOf(file)} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw wrongUsage(`${nameOf(file)} is not JSON: ${error instanceof Error ? error.message : error}`);
  }
}

function nameOf(file: string): string {
  return file === '-' ? 'The standard input' : file;
}
