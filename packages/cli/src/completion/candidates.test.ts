import { expect, it } from 'vitest';
import { type CommandTree, candidatesFor } from './candidates.ts';

const command = (name: string, given: Partial<CommandTree> = {}): CommandTree => ({
  name,
  commands: [],
  options: [
    { name: '--json', takesValue: false },
    { name: '--data', takesValue: true },
  ],
  args: [],
  ...given,
});

const tree = command('baton', {
  commands: [
    command('workflows', {
      commands: [command('graph', { args: ['workflow'] }), command('push', { args: ['path'] })],
    }),
    command('chat', { args: ['agentId', 'message'] }),
    command('completion', { args: ['shell'] }),
  ],
});

it.each([
  [[''], { kind: 'words', words: ['workflows', 'chat', 'completion'] }],
  [['c'], { kind: 'words', words: ['chat', 'completion'] }],
  [[], { kind: 'words', words: ['workflows', 'chat', 'completion'] }],
  [['workflows', 'g'], { kind: 'words', words: ['graph'] }],
  [['workflows', 'graph', ''], { kind: 'workflows' }],
  [['workflows', 'graph', '--json', 'v'], { kind: 'workflows' }],
  [['--data', 'workflows', 'chat', ''], { kind: 'agents' }],
  [['--data=x', 'chat', ''], { kind: 'agents' }],
  [['chat', 'local.a.b', ''], { kind: 'files' }],
  [['chat', '--data', ''], { kind: 'files' }],
  [['workflows', 'push', ''], { kind: 'files' }],
  [['chat', '--d'], { kind: 'words', words: ['--data'] }],
  [['completion', 'f'], { kind: 'words', words: ['fish'] }],
])('%j can be followed by %j', (words, candidates) => {
  expect(candidatesFor(tree, words)).toEqual(candidates);
});
