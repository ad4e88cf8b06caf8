import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * A shell in which a test enters the commands of a page, as a reader does: variables and functions of one snippet are
 * there in the next one.
 */

interface Entered {
  /** Everything that the reader sees: output and messages. */
  readonly out: string;
  /** The commands that ended with another code than 0, each with its code, such as `4: npx baton run hello`. */
  readonly failed: readonly string[];
}

export interface Shell {
  enter(snippet: string): Promise<Entered>;
  close(): Promise<void>;
}

interface ShellParts {
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Texts of the page with the texts of this machine, such as an address with that of the host of the test. */
  readonly standIns?: Readonly<Record<string, string>>;
  /** The scripts of commands that a test must not run as they are, by the names of the commands. */
  readonly commands?: Readonly<Record<string, string>>;
}

const BATON = fileURLToPath(new URL('../../packages/cli/bin/baton.js', import.meta.url));

/** `npx baton` is the command of this project. */
export const NPX_BATON = `shift; exec '${process.execPath}' '${BATON}' "$@"`;

/** A failure is noted, and the shell goes on, as it does for a reader. */
const PRELUDE = `exec 2>&1
failed=()
trap 'failed+=("$?: $BASH_COMMAND")' ERR
`;

/** The environment of a reader who has set nothing for Baton. */
export function plainEnvironment(): Record<string, string> {
  const kept = Object.entries(process.env).filter(
    ([name, value]) => value !== undefined && !/^(?:npm_|BATON_|NODE_|FORCE_|VITEST|OTEL_)/i.test(name),
  );
  return { ...(Object.fromEntries(kept) as Record<string, string>), NO_COLOR: '1' };
}

export function openShell({
  folder,
  env = {},
  standIns = {},
  commands = { npx: NPX_BATON },
}: ShellParts): Shell {
  const bin = scriptsIn(mkdtempSync(join(tmpdir(), 'baton-bin-')), commands);
  const own = { ...plainEnvironment(), ...env };
  const child = spawn('bash', ['--noprofile', '--norc'], {
    cwd: folder,
    env: { ...own, PATH: `${bin}:${own.PATH}` },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const ended = once(child, 'close');
  let written = '';
  let look = (): void => {};
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    written += text;
    look();
  });
  child.stdin.write(PRELUDE);
  let count = 0;

  async function enter(snippet: string): Promise<Entered> {
    count += 1;
    const [end, end2] = [`<<end of ${count}>>`, `<<failures of ${count}>>`];
    written = '';
    const done = new Promise<void>((resolve, reject) => {
      look = () => written.includes(end2) && resolve();
      void ended.then(() => reject(new Error(`The shell ended:\n${written}`)));
    });
    const entered = Object.entries(standIns).reduce((text, [from, to]) => text.replaceAll(from, to), snippet);
    // The commands read nothing: the input of the shell holds the next commands.
    child.stdin.write(
      `{\n${entered}\n} </dev/null\nprintf '%s' '${end}'; printf '%s\\0' "\${failed[@]}"; failed=(); printf '%s' '${end2}'\n`,
    );
    await done;
    const [out = '', rest = ''] = written.split(end);
    const failed = rest.slice(0, rest.indexOf(end2)).split('\0').filter(Boolean);
    return { out, failed };
  }

  return {
    enter,
    async close() {
      child.stdin.end();
      await ended;
      rmSync(bin, { recursive: true });
    },
  };
}

/**
 * The command that runs a snippet of TypeScript, in which nothing needs to be compiled. Its types are checked by
 * `tests/client/examples.test.ts`.
 */
export function asProgram(snippet: string): string {
  return `node --input-type=module - <<'END'\n${snippet}END`;
}

/** Writes the scripts to the folder, which is then a part of the path of the shell. */
function scriptsIn(folder: string, commands: Readonly<Record<string, string>>): string {
  for (const [name, script] of Object.entries(commands)) {
    writeFileSync(join(folder, name), `#!/bin/bash\n${script}\n`, { mode: 0o755 });
  }
  return folder;
}
