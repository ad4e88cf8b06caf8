import { MODEL_CLASSES } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import { readModels } from './models-file.ts';

type Variables = Readonly<Record<string, string>>;

function read(file: unknown, variables: Variables = {}) {
  const text = typeof file === 'string' ? file : JSON.stringify(file, undefined, 2);
  return readModels({
    file: file === undefined ? undefined : { name: 'models.json', text },
    variable: (name) => variables[name],
  });
}

function config(file: unknown, variables?: Variables) {
  const reading = read(file, variables);
  if ('problems' in reading) throw new Error(reading.problems.join('\n'));
  return reading.config;
}

function problems(file: unknown, variables?: Variables): readonly string[] {
  const reading = read(file, variables);
  return 'problems' in reading ? reading.problems : [];
}

const LOCAL = { kind: 'openai-compatible', baseURL: 'http://127.0.0.1:11434/v1/' };

describe('without a file', () => {
  it('every class is scripted when no key is set', () => {
    const { providers, classes } = config(undefined);
    expect(providers).toEqual({});
    expect(Object.keys(classes).sort()).toEqual([...MODEL_CLASSES].sort());
    expect(new Set(Object.values(classes).map(({ provider }) => provider))).toEqual(new Set(['scripted']));
  });

  it.each([
    ['OPENAI_API_KEY', 'openai'],
    ['ANTHROPIC_API_KEY', 'anthropic'],
    ['GOOGLE_GENERATIVE_AI_API_KEY', 'google'],
  ])('%s alone is enough', (variable, provider) => {
    const { providers, classes } = config(undefined, { [variable]: 'sk-1' });
    expect(providers[provider]).toMatchObject({ kind: provider, key: { value: 'sk-1' } });
    expect(new Set(Object.values(classes).map((target) => target.provider))).toEqual(new Set([provider]));
    expect(classes.classification.model).not.toBe(classes.reasoning.model);
  });

  it.each([
    ['https://proxy.example', 'https://proxy.example/v1'],
    ['https://proxy.example/', 'https://proxy.example/v1'],
    ['https://proxy.example/openai/v1/', 'https://proxy.example/openai/v1'],
  ])('the address %s means %s', (address, baseURL) => {
    const { providers } = config(undefined, { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: address });
    expect(providers.openai?.baseURL).toBe(baseURL);
    const other = config(undefined, { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: address });
    expect(other.providers.anthropic?.baseURL).toBe(baseURL);
  });

  it('an address that is none stops the start', () => {
    expect(problems(undefined, { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'localhost' })).toEqual([
      'OPENAI_BASE_URL is not an address; write one such as https://models.example.com/v1',
    ]);
  });
});

describe('a models file', () => {
  it('names providers, classes, fallbacks and prices', () => {
    const made = config(
      {
        providers: {
          local: { ...LOCAL, key: { env: 'LOCAL_KEY' }, concurrency: 2, silenceSeconds: 5, totalSeconds: 9 },
        },
        classes: { writing: 'local/meta/llama3', reasoning: 'anthropic/claude-opus-5-5' },
        fallbacks: { reasoning: ['local/llama3', 'scripted/script'] },
        prices: { 'local/llama3': { input: 0.1, output: 0.2 } },
      },
      { LOCAL_KEY: 'k', ANTHROPIC_API_KEY: 'a' },
    );
    expect(made.providers.local).toMatchObject({
      baseURL: 'http://127.0.0.1:11434/v1',
      key: { value: 'k' },
      concurrency: 2,
      silenceMs: 5000,
      totalMs: 9000,
      firstByteMs: 120_000,
    });
    expect(made.classes.writing).toEqual({ provider: 'local', model: 'meta/llama3' });
    expect(made.classes.reasoning).toEqual({ provider: 'anthropic', model: 'claude-opus-5-5' });
    expect(made.classes.general.provider).toBe('anthropic');
    expect(made.fallbacks.reasoning).toHaveLength(2);
    expect(made.prices).toEqual({ 'local/llama3': { input: 0.1, output: 0.2 } });
  });

  it('gives the model of "general" to the classes that it does not name', () => {
    const { classes } = config(
      { providers: { local: LOCAL }, classes: { general: 'local/llama3', coding: 'local/coder' } },
      { OPENAI_API_KEY: 'k' },
    );
    expect(classes.research).toEqual({ provider: 'local', model: 'llama3' });
    expect(classes.coding.model).toBe('coder');
  });

  it('gives the only model to all classes when no other is known', () => {
    const { classes } = config({ providers: { local: LOCAL }, classes: { writing: 'local/llama3' } });
    expect(classes.reasoning).toEqual({ provider: 'local', model: 'llama3' });
  });

  it('takes the place of a variable with the same provider', () => {
    const file = { providers: { openai: { kind: 'openai', key: { secret: 'openai' } } } };
    expect(config(file, { OPENAI_API_KEY: 'k' }).providers.openai?.key).toEqual({ secret: 'openai' });
  });
});

describe('a mistake', () => {
  it.each<[string, unknown, RegExp]>([
    ['no object', [], /^models\.json, line 1: the file must be an object/],
    ['no JSON', '{\n  "classes": {\n    "a": 1,,\n', /^models\.json, line 3: the file is not valid JSON/],
    [
      'text without quotes',
      '{\n  "classes": {\n    "a": b\n  }\n}\n',
      /^models\.json, line 3: the file is not valid JSON/,
    ],
    ['half a file', '{\n  "classes": {\n', /^models\.json, line 2: the file is not valid JSON/],
    ['an unknown field', { models: {} }, /line 2: models is not known; write one of providers, classes/],
    [
      'an unknown class',
      { classes: { poetry: 'scripted/script' } },
      /line 3: classes\.poetry is not a class/,
    ],
    ['no model', { classes: { general: 'scripted' } }, /line 3: classes\.general must be "provider\/model"/],
    ['an unknown provider', { classes: { general: 'loca/x' } }, /line 3: .* "loca".*add it to "providers"$/],
    ['a vendor without a key', { classes: { general: 'openai/x' } }, /or set OPENAI_API_KEY$/],
    [
      'an unknown kind',
      { providers: { a: { kind: 'ollama' } } },
      /line 4: providers\.a\.kind must be one of openai/,
    ],
    ['a wrong name', { providers: { Local: LOCAL } }, /line 3: providers\.Local is not a name/],
    [
      'an unknown option',
      { providers: { a: { ...LOCAL, url: '' } } },
      /line 6: providers\.a\.url is not known/,
    ],
    [
      'no address',
      { providers: { a: { kind: 'openai-compatible' } } },
      /line 3: providers\.a\.baseURL is missing/,
    ],
    [
      'a wrong address',
      { providers: { a: { ...LOCAL, baseURL: 'x' } } },
      /line 5: .*baseURL is not an address/,
    ],
    ['a password', { providers: { a: { ...LOCAL, baseURL: 'http://u:p@h/v1' } } }, /must not hold a name/],
    [
      'no key',
      { providers: { a: { kind: 'anthropic' } } },
      /line 3: providers\.a\.key is missing; write \{"env"/,
    ],
    [
      'a variable that is not set',
      { providers: { a: { ...LOCAL, key: { env: 'NO_KEY' } } } },
      /NO_KEY, which is not/,
    ],
    [
      'too many calls',
      { providers: { a: { ...LOCAL, concurrency: 0 } } },
      /concurrency must be a whole number from 1/,
    ],
    ['too much patience', { providers: { a: { ...LOCAL, silenceSeconds: 301 } } }, /from 1 to 300/],
    [
      'an API of another kind',
      { providers: { a: { ...LOCAL, api: 'chat' } } },
      /api must be "responses" or "chat"/,
    ],
    ['no list', { fallbacks: { general: 'scripted/x' } }, /line 3: fallbacks\.general must be a list/],
    [
      'a wrong fallback',
      { fallbacks: { general: ['scripted/x', 'y'] } },
      /line 5: fallbacks\.general\.1 must be/,
    ],
    [
      'a wrong price',
      { prices: { 'a/b': { input: -1, output: 1 } } },
      /line 3: prices\.a\/b must be dollars/,
    ],
    [
      'a provider without a known model',
      { providers: { a: LOCAL } },
      /classes is missing; name a model, such as \{"general": "a\/llama3"\}/,
    ],
    [
      'two lists for one model',
      { fallbacks: { general: ['scripted/x'], writing: ['scripted/y'] } },
      /fallbacks\.general differs from fallbacks\.writing, and both classes use scripted\/script/,
    ],
    ['a field that is there twice', '{\n"classes": {},\n"classes": {}}', /line 3: classes is written twice/],
  ])('is named with its line: %s', (_, file, expected) => {
    expect(problems(file).join('\n')).toMatch(expected);
  });

  it.each([
    [{ providers: { a: { ...LOCAL, key: 'sk-canary' } } }],
    [{ providers: { a: { ...LOCAL, key: { env: 'sk-canary' } } } }],
    [{ providers: { a: { ...LOCAL, key: { value: 'sk-canary' } } } }],
    [{ providers: { a: { ...LOCAL, headers: { authorization: ['sk-canary'] } } } }],
  ])('never repeats a key that is in the file: %j', (file) => {
    const found = problems(file);
    expect(found.length).toBeGreaterThan(0);
    expect(found.join('\n')).not.toContain('canary');
  });

  it('in one place does not hide the others', () => {
    const file = { providers: { a: { kind: 'x' } }, classes: { general: 'a/b', poetry: 'a/b' } };
    expect(problems(file)).toHaveLength(2);
  });
});
