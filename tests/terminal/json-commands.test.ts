import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { program } from '../../packages/cli/src/main.ts';

/** Every command of the program offers `--json`. */

/** Commands without `--json`, and the reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'baton complete': 'A shell reads its words, one a line. People and scripts do not call it.',
};

interface Named {
  readonly name: string;
  readonly command: Command;
}

/** The commands that do something, with their groups before their names. */
function leaves(command: Command, before = ''): readonly Named[] {
  const name = `${before}${command.name()}`;
  if (command.commands.length === 0) return [{ name, command }];
  return command.commands.flatMap((below) => leaves(below as Command, `${name} `));
}

const ALL = leaves(await program(['serve'], {}));

it('the walk sees all commands', () => {
  const names = ALL.map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining(['baton serve', 'baton runs', 'baton keys create', 'baton secrets rotate']),
  );
  expect(names.length).toBeGreaterThan(38);
  expect(names).toEqual(expect.arrayContaining(Object.keys(EXCEPTIONS)));
});

describe.each(ALL.filter(({ name }) => EXCEPTIONS[name] === undefined))('$name', ({ name, command }) => {
  it('offers --json', () => {
    expect(command.options.map(({ long }) => long)).toContain('--json');
  });

  it('tells a wrong command line as one object', async () => {
    const argv = [...name.split(' ').slice(1), '--json', '--nonsense'];
    await expect((await program(argv, {})).parseAsync(argv, { from: 'user' })).rejects.toMatchObject({
      exit: 2,
      code: 'wrong_usage',
      message: expect.stringMatching(/^(unknown|required) option '--/),
    });
  });
});
