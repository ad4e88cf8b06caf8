import type { Command } from 'commander';
import type { Flags } from '../settings/given.ts';
import { withData, withHost, withJson } from './options.ts';

/** Commands around a project and a machine: a new project, a check of everything, completion in a shell. */
export function addProject(baton: Command): void {
  withJson(baton.command('init [folder]'))
    .description('Make a new project with a workflow, an agent and a test. No file is overwritten.')
    .addHelpText('after', '\nExample:\n  baton init demo')
    .action(async (folder: string | undefined, flags: Flags) => {
      const { initProject } = await import('../project/init-project.ts');
      const { outputFor } = await import('../output/output.ts');
      process.exitCode = initProject(folder ?? '.', outputFor(flags));
    });
  withJson(withHost(baton.command('doctor')))
    .description(
      'Check Node.js, the data folder, ports, keys, models, peers and clocks, and say what to fix.',
    )
    .addHelpText('after', '\nExits with 1 if something has to be fixed.\n\nExample:\n  baton doctor')
    .action(async (flags: Flags) => {
      const { runDoctor } = await import('../doctor/doctor.ts');
      const { outputFor } = await import('../output/output.ts');
      process.exitCode = await runDoctor(flags, outputFor(flags));
    });
  withJson(baton.command('completion <shell>'))
    .description('Print a script that completes commands, options and names in bash, zsh or fish.')
    .addHelpText('after', '\nExamples:\n  source <(baton completion bash)\n  baton completion fish | source')
    .action(async (shell: string, flags: Flags) => {
      const { completionScript } = await import('../completion/scripts.ts');
      const { outputFor } = await import('../output/output.ts');
      const script = completionScript(shell);
      outputFor(flags).give({ shell, script }, script);
    });
  withData(baton.command('complete', { hidden: true }))
    .argument('[words...]')
    .action(async (words: readonly string[], flags: Flags) => {
      const { complete } = await import('../completion/complete.ts');
      for (const word of await complete(baton, words, flags)) process.stdout.write(`${word}\n`);
    });
}
