import { isJsonObject, type Json, MODEL_CLASSES, type ModelClass } from '@baton/protocol';
import { type ModelsConfig, type ModelTarget, nameOf, type TokenPrices } from '../models-config.ts';
import type { FileProblems, Path } from './file-problems.ts';

/** Reads the parts of the models file that name models: classes, fallbacks and prices. */

type IsProvider = (id: string) => boolean;

export function readClasses(
  given: Json | undefined,
  isProvider: IsProvider,
  problems: FileProblems,
): Partial<Record<ModelClass, ModelTarget>> {
  return byClass(given, 'classes', problems, (value, path) => readTarget(value, path, isProvider, problems));
}

export function readFallbacks(
  given: Json | undefined,
  isProvider: IsProvider,
  problems: FileProblems,
): ModelsConfig['fallbacks'] {
  return byClass(given, 'fallbacks', problems, (value, path) => {
    if (!Array.isArray(value)) {
      problems.add(path, 'must be a list such as ["openai/gpt-6-sol"]');
      return undefined;
    }
    return value.flatMap((one, at) => readTarget(one, [...path, String(at)], isProvider, problems) ?? []);
  });
}

/** A call names a model and not a class, so two classes with one model have the same fallbacks. */
export function checkFallbacks(
  { classes, fallbacks }: Pick<ModelsConfig, 'classes' | 'fallbacks'>,
  problems: FileProblems,
): void {
  const namesOf = (list: readonly ModelTarget[] | undefined) => JSON.stringify(list?.map(nameOf));
  const first = new Map<string, ModelClass>();
  for (const modelClass of MODEL_CLASSES) {
    if (fallbacks[modelClass] === undefined) continue;
    const model = nameOf(classes[modelClass]);
    const other = first.get(model) ?? modelClass;
    first.set(model, other);
    if (namesOf(fallbacks[other]) === namesOf(fallbacks[modelClass])) continue;
    problems.add(
      ['fallbacks', modelClass],
      `differs from fallbacks.${other}, and both classes use ${model}; write the same list for both`,
    );
  }
}

export function readPrices(given: Json | undefined, problems: FileProblems): ModelsConfig['prices'] {
  if (given === undefined) return {};
  if (!isJsonObject(given)) {
    problems.add(['prices'], `must be an object such as {"local/llama3": ${EXAMPLE_PRICES}}`);
    return {};
  }
  const read: [string, TokenPrices][] = [];
  for (const [name, prices] of Object.entries(given)) {
    if (isPrices(prices)) read.push([name, prices]);
    else problems.add(['prices', name], `must be dollars for a million tokens, such as ${EXAMPLE_PRICES}`);
  }
  return Object.fromEntries(read);
}

const EXAMPLE_PRICES = '{"input": 0.5, "output": 1.5}';
const PRICES = ['input', 'output', 'cacheRead', 'cacheWrite'];

function isPrices(value: Json): value is Json & TokenPrices {
  if (!isJsonObject(value) || value.input === undefined || value.output === undefined) return false;
  return Object.entries(value).every(
    ([name, price]) => PRICES.includes(name) && typeof price === 'number' && price >= 0,
  );
}

function byClass<T>(
  given: Json | undefined,
  field: string,
  problems: FileProblems,
  read: (value: Json, path: Path) => T | undefined,
): Partial<Record<ModelClass, T>> {
  if (given === undefined) return {};
  if (!isJsonObject(given)) {
    problems.add([field], `must be an object with the classes ${MODEL_CLASSES.join(', ')}`);
    return {};
  }
  const made: Partial<Record<ModelClass, T>> = {};
  for (const [name, value] of Object.entries(given)) {
    const modelClass = MODEL_CLASSES.find((known) => known === name);
    const path = [field, name];
    if (modelClass === undefined) {
      problems.add(path, `is not a class of models; write one of ${MODEL_CLASSES.join(', ')}`);
      continue;
    }
    const one = read(value, path);
    if (one !== undefined) made[modelClass] = one;
  }
  return made;
}

function readTarget(
  given: Json,
  path: Path,
  isProvider: IsProvider,
  problems: FileProblems,
): ModelTarget | undefined {
  const [, provider, model] = /^([^/]+)\/(.+)$/.exec(typeof given === 'string' ? given : '') ?? [];
  if (provider === undefined || model === undefined || model.length > 256) {
    problems.add(path, 'must be "provider/model", such as "anthropic/claude-sonnet-5-5"');
    return undefined;
  }
  if (isProvider(provider)) return { provider, model };
  const variable = VARIABLES[provider];
  const hint = variable === undefined ? '' : ` or set ${variable}`;
  problems.add(
    path,
    `names the provider "${provider.slice(0, 64)}", which is not there; add it to "providers"${hint}`,
  );
  return undefined;
}

const VARIABLES: Readonly<Record<string, string>> = {
  openai: 'OPENAI_API_KEY',
  anthropic: 'ANTHROPIC_API_KEY',
  google: 'GOOGLE_GENERATIVE_AI_API_KEY',
};
