import type { Command } from 'commander';
import { acting } from './acting.ts';
import { talking } from './talking.ts';

/** Workflows: files of the author, and those that a host has. */
export function addWorkflows(baton: Command): void {
  const workflows = baton.command('workflows').description('Workflows of files and of a running host.');
  talking(
    workflows.command('list'),
    async () => (await import('../authoring/registered-workflows.ts')).listWorkflows,
  )
    .description('List the workflows that the host has.')
    .addHelpText('after', example('baton workflows list'));
  talking<[string]>(
    workflows.command('show <workflowId>'),
    async () => (await import('../authoring/registered-workflows.ts')).showWorkflow,
  )
    .description('Print the definition of a workflow of the host as JSON.')
    .addHelpText('after', example('baton workflows show vetted-report > vetted-report.json'));
  acting<[string]>(workflows.command('validate <path>'), async () => {
    const { validateWorkflows } = await import('../authoring/validate.ts');
    return (out, _flags, path) => validateWorkflows(path, out);
  })
    .description('Check a file or a folder of workflows with the rules of a host. Needs no host.')
    .addHelpText('after', example('baton workflows validate workflows/release.json'));
  talking<[string]>(
    workflows.command('push <path>'),
    async () => (await import('../authoring/push.ts')).pushWorkflows,
  )
    .description('Register a file or a folder of workflows with the host, after all of them were checked.')
    .addHelpText('after', example('baton workflows push workflows'));
  talking<[string]>(
    workflows.command('graph <workflow>'),
    async () => (await import('../authoring/show-graph.ts')).showGraph,
  )
    .description('Draw a workflow of the host, or of a file: its branches, loops, children and merge gates.')
    .option('--mermaid', 'as a flowchart of Mermaid')
    .option('--svg', 'as an SVG picture')
    .option('--width <columns>', 'the width of the text (that of the terminal, else 80)')
    .addHelpText('after', example('baton workflows graph workflows/release.json --svg > release.svg'));
}

function example(line: string): string {
  return `\nExample:\n  ${line}`;
}
