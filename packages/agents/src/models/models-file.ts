import { isJsonObject, type Json, type JsonObject, MODEL_CLASSES, type ModelClass } from '@baton/protocol';
import { BrokenJson, placesOf } from '../files/json-places.ts';
import { defaultModel } from './default-models.ts';
import { type FileProblems, fileProblems } from './file/file-problems.ts';
import { readProvider, type Variable } from './file/read-provider.ts';
import { checkFallbacks, readClasses, readFallbacks, readPrices } from './file/read-targets.ts';
import { vendorsInVariables } from './file/vendor-variables.ts';
import { DEFAULTS, type ModelsConfig, type ModelTarget, SCRIPTED } from './models-config.ts';

/**
 * Reads the configuration of models: the file that `BATON_MODELS` names, and the variables in which vendors
 * expect their keys. Either of them is enough, and with neither every class uses the scripted provider.
 */

interface ModelsSource {
  readonly file?: { readonly name: string; readonly text: string } | undefined;
  readonly variable: Variable;
}

type ModelsReading = { readonly config: ModelsConfig } | { readonly problems: readonly string[] };

const FIELDS = ['providers', 'classes', 'fallbacks', 'prices'];

export function readModels({ file, variable }: ModelsSource): ModelsReading {
  const vendors = vendorsInVariables(variable);
  if (file === undefined) {
    const config = withDefaults({ providers: vendors.providers, classes: {} });
    return vendors.problems.length === 0 ? { config } : { problems: vendors.problems };
  }
  const given = parsed(file.name, file.text);
  if (typeof given === 'string') return { problems: [given, ...vendors.problems] };
  const problems = fileProblems(file.name, file.text);
  for (const field of Object.keys(given)) {
    if (!FIELDS.includes(field)) problems.add([field], `is not known; write one of ${FIELDS.join(', ')}`);
  }
  const own = readProviders(given.providers, variable, problems);
  const providers = { ...vendors.providers, ...own };
  const isProvider = (id: string) => Object.hasOwn(providers, id) || id === SCRIPTED;
  const classes = readClasses(given.classes, isProvider, problems);
  const config = {
    ...withDefaults({ providers, classes }),
    fallbacks: readFallbacks(given.fallbacks, isProvider, problems),
    prices: readPrices(given.prices, problems),
  };
  checkFallbacks(config, problems);
  if (
    Object.keys(providers).length > 0 &&
    given.classes === undefined &&
    firstUsable(providers) === undefined
  ) {
    const [id = 'local'] = Object.keys(providers);
    problems.add(['classes'], `is missing; name a model, such as {"general": "${id}/llama3"}`);
  }
  const found = [...problems.found, ...vendors.problems];
  return found.length === 0 ? { config } : { problems: found };
}

/** The object in a file, or what is wrong with the file. The parser's own message repeats parts of it. */
function parsed(file: string, text: string): JsonObject | string {
  try {
    // Read before the parser does, because the message of a parser does not always tell the line.
    placesOf(text);
    const given = JSON.parse(text) as Json;
    return isJsonObject(given)
      ? given
      : `${file}, line 1: the file must be an object such as {"providers": {}, "classes": {}}`;
  } catch (error) {
    const line = error instanceof BrokenJson ? error.line : 1;
    return `${file}, line ${line}: the file is not valid JSON; look for a missing comma, quote or bracket there`;
  }
}

function readProviders(
  given: Json | undefined,
  variable: Variable,
  problems: FileProblems,
): ModelsConfig['providers'] {
  if (given === undefined) return {};
  if (!isJsonObject(given)) {
    problems.add(['providers'], 'must be an object of names and providers');
    return {};
  }
  // A provider with a mistake in it still counts as there, so that its classes are not reported as well.
  return Object.fromEntries(
    Object.entries(given).map(([id, one]) => [
      id,
      readProvider(id, one, variable, problems) ?? { ...DEFAULTS, kind: 'scripted' as const },
    ]),
  );
}

type Providers = ModelsConfig['providers'];

/** The first provider whose usual models are known. */
function firstUsable(providers: Providers): string | undefined {
  return Object.keys(providers).find((id) => {
    const kind = providers[id]?.kind;
    return kind !== undefined && defaultModel(kind, 'general') !== undefined;
  });
}

/**
 * A class that the file does not name uses the model of `general`. If the file does not name that one either,
 * it uses the usual models of the first provider, or the first model that the file names.
 */
function withDefaults({
  providers,
  classes,
}: {
  readonly providers: Providers;
  readonly classes: Partial<Record<ModelClass, ModelTarget>>;
}): ModelsConfig {
  const provider = firstUsable(providers) ?? SCRIPTED;
  const kind = providers[provider]?.kind ?? 'scripted';
  const [named] = Object.values(classes);
  const targetOf = (name: ModelClass): ModelTarget => {
    const own = classes[name] ?? classes.general;
    if (own !== undefined) return own;
    if (named !== undefined && firstUsable(providers) === undefined) return named;
    return { provider, model: defaultModel(kind, name) ?? 'script' };
  };
  const all = MODEL_CLASSES.map((name) => [name, targetOf(name)]);
  return { providers, classes: Object.fromEntries(all), fallbacks: {}, prices: {} };
}
