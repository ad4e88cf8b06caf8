import type { Command } from 'commander';
import { acting } from './acting.ts';
import { hostOf, withHost } from './options.ts';
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
  ).description('Write a run with its children to standard output, with secrets masked.');
  acting<[string]>(withHost(baton.command('import <file>')), async () => {
    const { importBundle } = await import('../over-http/bundles.ts');
    return (out, flags, file) => importBundle(hostOf(flags), file, out);
  }).description('Import a bundle that another Baton has written, to read, replay and fork its runs.');
}
