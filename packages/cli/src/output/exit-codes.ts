/** The exit codes of the command, for scripts. `baton --help` lists them. */
export const EXIT = {
  done: 0,
  failed: 1,
  wrongUsage: 2,
  runFailed: 3,
  runWaits: 4,
  noHost: 5,
  keyRefused: 6,
  notFound: 7,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

const MEANINGS: { readonly [code in keyof typeof EXIT]: string } = {
  done: 'The command did what was asked. With --watch or tail: the run completed.',
  failed: 'The command failed, or the host refused the request.',
  wrongUsage: 'The command line or a setting is wrong.',
  runFailed: 'The run failed or was cancelled.',
  runWaits: 'The run waits for a person.',
  noHost: 'No host answers at the address.',
  keyRefused: 'There is no key, or the host does not accept it for this.',
  notFound: 'There is no run, workflow, agent, key, peer or file of this name.',
  interrupted: 'The command was interrupted with Ctrl-C. The run goes on.',
};

export function exitCodesText(): string {
  const names = Object.keys(EXIT) as (keyof typeof EXIT)[];
  return ['Exit codes:', ...names.map((name) => `  ${String(EXIT[name]).padEnd(5)}${MEANINGS[name]}`)].join(
    '\n',
  );
}
