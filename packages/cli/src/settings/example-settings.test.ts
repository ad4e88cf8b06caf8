import { expect, it } from 'vitest';
import { withExamples } from './example-settings.ts';

const EXAMPLES = {
  BATON_WORKFLOWS: '/examples',
  BATON_AGENTS: '/examples',
  BATON_TOOLS: '/examples/support-triage/tools.json',
};

it.each<[string, Record<string, string>, Record<string, unknown>, Record<string, string>]>([
  ['nothing', {}, {}, EXAMPLES],
  ['empty variables', { BATON_WORKFLOWS: '', BATON_AGENTS: '' }, {}, EXAMPLES],
  ['other workflows', { BATON_WORKFLOWS: 'w' }, {}, { ...EXAMPLES, BATON_WORKFLOWS: 'w' }],
  [
    'other agents, which do not need the tools of the examples',
    { BATON_AGENTS: 'a' },
    {},
    { BATON_WORKFLOWS: '/examples', BATON_AGENTS: 'a' },
  ],
  ['other agents as a flag', {}, { agents: 'a' }, { BATON_WORKFLOWS: '/examples' }],
  ['other tools', { BATON_TOOLS: 't.json' }, {}, { ...EXAMPLES, BATON_TOOLS: 't.json' }],
  ['other workflows as a flag', {}, { workflows: 'w' }, { ...EXAMPLES, BATON_WORKFLOWS: undefined as never }],
])('uses the examples where the operator set %s', (_, env, flags, expected) => {
  expect(withExamples(env, flags, '/examples')).toEqual(expected);
});
