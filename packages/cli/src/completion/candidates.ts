/** The commands as a tree, and the words that can follow on a command line. */

export interface CommandTree {
  readonly name: string;
  readonly commands: readonly CommandTree[];
  readonly options: readonly { readonly name: string; readonly takesValue: boolean }[];
  /** The names of the arguments, in their order. */
  readonly args: readonly string[];
}

type Candidates =
  | { readonly kind: 'words'; readonly words: readonly string[] }
  /** Names that only a running host knows. */
  | { readonly kind: 'workflows' | 'agents' }
  /** The shell completes the names of files. */
  | { readonly kind: 'files' };

/** The words that can take the place of the last word, which may be empty. */
export function candidatesFor(root: CommandTree, words: readonly string[]): Candidates {
  const typed = words.at(-1) ?? '';
  let command = root;
  let argument = 0;
  let awaited = false;
  for (const word of words.slice(0, -1)) {
    if (awaited) awaited = false;
    else if (word.startsWith('-')) awaited = takesValue(command, word);
    else {
      const next = command.commands.find(({ name }) => name === word);
      if (next === undefined) argument += 1;
      else command = next;
    }
  }
  if (awaited) return { kind: 'files' };
  if (typed.startsWith('-'))
    return {
      kind: 'words',
      words: beginning(
        typed,
        command.options.map(({ name }) => name),
      ),
    };
  if (command.commands.length > 0) {
    return {
      kind: 'words',
      words: beginning(
        typed,
        command.commands.map(({ name }) => name),
      ),
    };
  }
  const wanted = command.args[argument] ?? '';
  if (wanted === 'shell') return { kind: 'words', words: beginning(typed, SHELLS) };
  if (wanted.startsWith('workflow')) return { kind: 'workflows' };
  return { kind: wanted.startsWith('agent') ? 'agents' : 'files' };
}

export const SHELLS = ['bash', 'zsh', 'fish'] as const;

export function beginning(typed: string, words: readonly string[]): readonly string[] {
  return words.filter((word) => word.startsWith(typed));
}

function takesValue({ options }: CommandTree, word: string): boolean {
  return !word.includes('=') && options.some(({ name, takesValue }) => name === word && takesValue);
}
