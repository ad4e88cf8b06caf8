import type { Command } from 'commander';
import { talking } from './talking.ts';

/** Runs that come from other hosts or go to them. */

export function addAncestry(baton: Command): void {
  talking<[string]>(
    baton.command('ancestry <runId>'),
    async () => (await import('../over-http/ancestry.ts')).showAncestry,
  )
    .description(
      'Show which runs led to a run, from host to host. Exits with 1 if a host could not be asked.',
    )
    .option(
      '--key-for <address=key>',
      'the key for another host, such as https://baton.acme.example=<key>; may be repeated',
      (given: string, before: readonly string[]) => [...before, given],
      [],
    );
}

export function addBundles(baton: Command): void {
  talking<[string]>(
    baton.command('bundle <runId>'),
    async () => (await import('../over-http/bundles.ts')).takeBundle,
  )
    .description('Write a run with its children to standard output, with secrets masked.')
    .addHelpText('after', '\nExample:\n  baton bundle $RUN > run.json; baton open run.json');
}
