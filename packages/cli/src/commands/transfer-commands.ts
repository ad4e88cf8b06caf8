import type { Command } from 'commander';
import { EXIT } from '../output/exit-codes.ts';
import type { Flags } from '../settings/given.ts';
import { terminal } from '../terminal.ts';
import { hostOf, withHost } from './options.ts';

/** Runs that come from other hosts or go to them. */

export function addAncestry(baton: Command): void {
  withHost(baton.command('ancestry <runId>'))
    .description(
      'Show which runs led to a run, from host to host. Exits with 1 if a host could not be asked.',
    )
    .option(
      '--key-for <address=key>',
      'the key for another host, such as https://baton.acme.example=<key>; may be repeated',
      (given: string, before: readonly string[]) => [...before, given],
      [],
    )
    .action(async (runId: string, flags: Flags & { keyFor: readonly string[] }) => {
      const { showAncestry } = await import('../over-http/ancestry.ts');
      if (!(await showAncestry(hostOf(flags), runId, flags.keyFor, terminal))) process.exitCode = EXIT.failed;
    });
}

export function addBundles(baton: Command): void {
  withHost(baton.command('bundle <runId>'))
    .description('Write a run with its children to standard output, with secrets masked.')
    .action(async (runId: string, flags: Flags) => {
      const { takeBundle } = await import('../over-http/bundles.ts');
      await takeBundle(hostOf(flags), runId, terminal);
    });
  withHost(baton.command('import <file>'))
    .description('Import a bundle that another Baton has written, to read, replay and fork its runs.')
    .action(async (file: string, flags: Flags) => {
      const { importBundle } = await import('../over-http/bundles.ts');
      await importBundle(hostOf(flags), file, terminal);
    });
}
