import type { Command } from 'commander';
import type { Flags } from '../settings/given.ts';
import { acting } from './acting.ts';
import { withData, withHost } from './options.ts';

/** Commands around a project and a machine: the console, a new project, a check of everything, completion in a shell. */
export function addProject(baton: Command): void {
  addOpen(baton);
  acting<[string | undefined]>(baton.command('init [folder]'), async () => {
    const { initProject } = await import('../project/init-project.ts');
    return (out, _flags, folder) => initProject(folder ?? '.', out);
  })
    .description('Make a new project with a workflow, an agent and a test. No file is overwritten.')
    .addHelpText('after', '\nExample:\n  baton init demo');
  acting(withHost(baton.command('doctor')), async () => {
    const { runDoctor } = await import('../doctor/doctor.ts');
    return (out, flags) => runDoctor(flags, out);
  })
    .description(
      'Check Node.js, the data folder, ports, keys, models, peers and clocks, and say what to fix.',
    )
    .addHelpText('after', '\nExits with 1 if something has to be fixed.\n\nExample:\n  baton doctor');
  acting<[string]>(baton.command('completion <shell>'), async () => {
    const { giveCompletion } = await import('../completion/scripts.ts');
    return (out, _flags, shell) => giveCompletion(shell, out);
  })
    .description('Print a script that completes commands, options and names in bash, zsh or fish.')
    .addHelpText('after', '\nExamples:\n  source <(baton completion bash)\n  baton completion fish | source');
  // The script of a shell calls it, and the shell reads a word a line.
  withData(baton.command('complete', { hidden: true }))
    .argument('[words...]')
    .action(async (words: readonly string[], flags: Flags) => {
      const { complete } = await import('../completion/complete.ts');
      for (const word of await complete(baton, words, flags)) process.stdout.write(`${word}\n`);
    });
}

function addOpen(baton: Command): void {
  acting<[string | undefined]>(withHost(baton.command('open [bundle]')), async () => {
    const { openOrLink } = await import('../console/open-console.ts');
    return openOrLink;
  })
    .description(
      'Print a link that signs a browser in to the console of a host, once. With a bundle: verify it and serve its ' +
        'runs on this machine, to read, compare and fork them, until Ctrl-C.',
    )
    .option('--check', 'only verify the bundle; exits with 1 if something is wrong')
    .option('--trusted <file>', 'public audit keys (PEM), one of which must have signed the bundle')
    .addHelpText(
      'after',
      '\nWith a bundle, --data names an empty folder in which its runs are kept; else nothing is kept.\n\n' +
        'Examples:\n  baton open\n  baton open run.json\n  baton open run.json --check --trusted audit-key.pem',
    );
}
