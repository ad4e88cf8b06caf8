import { expect, it } from 'vitest';
import { readBudgets } from './budgets-file.ts';

const read = (text: string) => readBudgets({ name: 'budgets.json', text });

it('reads the limits of tenants by period', () => {
  const text = `{
    "acme": {"day": {"maxTokens": 100000, "maxToolCalls": 50}, "month": {"maxCostUsd": 0.5}},
    "*": {"day": {"maxCostUsd": 5}}
  }`;
  expect(read(text)).toEqual({
    config: new Map([
      ['acme', { day: { maxTokens: 100_000, maxToolCalls: 50 }, month: { maxCostUsd: 0.5 } }],
      ['*', { day: { maxCostUsd: 5 } }],
    ]),
  });
  expect(read('{"__proto__": {"day": {"maxTokens": 1}}}')).toEqual({
    config: new Map([['__proto__', { day: { maxTokens: 1 } }]]),
  });
});

it.each<[string, string]>([
  ['[]', 'line 1: the file must be an object: write {…}'],
  [
    '{"acme": {\n"day": {"maxTokens": 5}',
    'line 2: this is not JSON; look here and before for a comma, a quote or a bracket',
  ],
  [
    '{\n"acme": {"day": {"maxTokens": 5}},\n"acme": {"day": {"maxTokens": 6}}}',
    'line 3: acme is written twice; remove one of them',
  ],
  ['{"acme":\n{}}', 'line 1: acme has no limit; write {"day": {"maxTokens": 100000}}'],
  ['{"acme": 5}', 'line 1: acme must be an object: write {…}'],
  [
    '{"": {"day": {"maxTokens": 5}}}',
    'line 1:  must be the name of a tenant, or "*" for all tenants that are not named',
  ],
  ['{"acme": {\n"hour": {"maxTokens": 5}}}', 'line 2: acme.hour is not known here; write one of day, month'],
  [
    '{"acme": {"day": {}}}',
    'line 1: acme.day has no limit; write at least one of maxTokens, maxCostUsd, maxToolCalls',
  ],
  [
    '{"acme": {"day": {\n"tokens": 5}}}',
    'line 2: acme.day.tokens is not known here; write one of maxTokens, maxCostUsd, maxToolCalls',
  ],
  [
    '{"acme": {"day": {"maxTokens": 0}}}',
    'line 1: acme.day.maxTokens must be a whole number from 1 to 9007199254740991, such as 100000',
  ],
  [
    '{"acme": {"day": {"maxToolCalls": 1.5}}}',
    'line 1: acme.day.maxToolCalls must be a whole number from 1 to 9007199254740991, such as 1000',
  ],
  [
    '{"acme": {"month": {"maxCostUsd": "5"}}}',
    'line 1: acme.month.maxCostUsd must be a number of US dollars above 0, such as 5 or 0.5',
  ],
  [
    '{"acme": {"month": {"maxCostUsd": 0}}}',
    'line 1: acme.month.maxCostUsd must be a number of US dollars above 0, such as 5 or 0.5',
  ],
])('names the line of a mistake and what to write: %s', (text, problem) => {
  expect(read(text)).toEqual({ problem: `budgets.json, ${problem}` });
});
