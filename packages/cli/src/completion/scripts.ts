import { nearest } from '@baton/protocol/nearest';
import { wrongUsage } from '../output/command-failure.ts';
import { EXIT, type ExitCode } from '../output/exit-codes.ts';
import type { Output } from '../output/output.ts';
import { SHELLS } from './candidates.ts';

/**
 * Scripts that ask `baton complete` for the words that can follow. So a shell completes the commands of the installed
 * version, and names that the running host knows. Where nothing can follow, the shell completes the names of files.
 */
export function giveCompletion(shell: string, out: Output): ExitCode {
  const script = scriptFor(shell);
  out.give({ shell, script }, script);
  return EXIT.done;
}

function scriptFor(shell: string): string {
  const known = SHELLS.find((name) => name === shell);
  if (known !== undefined) return SCRIPTS[known];
  throw wrongUsage(
    `There is no completion for the shell "${shell}".`,
    `Write ${SHELLS.join(', ')}; did you mean ${nearest(shell, SHELLS)}?`,
  );
}

const SCRIPTS = {
  bash: `_baton() {
  COMPREPLY=()
  local line
  while IFS= read -r line; do COMPREPLY+=("$line"); done \\
    < <(baton complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o bashdefault -o default -F _baton baton`,
  zsh: `#compdef baton
_baton() {
  local -a words_found
  words_found=(\${(f)"$(baton complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
  if (( \${#words_found} )); then compadd -a words_found; else _files; fi
}
compdef _baton baton`,
  fish: `function __baton_complete
  set -l typed (commandline -opc) (commandline -ct)
  baton complete -- $typed[2..-1] 2>/dev/null
end
complete -c baton -a '(__baton_complete)'`,
} as const;
