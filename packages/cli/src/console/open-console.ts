import { isLoopback } from '../loopback.ts';
import { EXIT, type ExitCode } from '../output/exit-codes.ts';
import type { Output } from '../output/output.ts';
import { openSession } from '../session.ts';
import type { Flags } from '../settings/given.ts';

/** `baton open`: the console of a host, or that of a host which shows a bundle. */
export async function openOrLink(out: Output, flags: Flags, bundle: string | undefined): Promise<ExitCode> {
  if (bundle === undefined) return giveLink(out, flags);
  const { openBundle } = await import('../bundles/open-bundle.ts');
  return openBundle(bundle, flags, out);
}

/** A link that signs a browser in with the key of the command. */
async function giveLink(out: Output, flags: Flags): Promise<ExitCode> {
  const { baton } = openSession(flags, out);
  const { code, expiresAt, url } = await baton.session.createCode();
  const link = reachable(url, baton.url);
  out.give({ url: link, code, expiresAt }, link);
  out.note('Open this address in a browser within ten minutes. It signs in once.');
  return EXIT.done;
}

/**
 * A host that does not know its public address names its own loopback address. From another machine it is reached by
 * the address that the command has used.
 */
export function reachable(link: string, usedUrl: string): string {
  const isHere = (url: string) => isLoopback(new URL(url).hostname.replace(/^\[|\]$/g, ''));
  return isHere(link) && !isHere(usedUrl) ? `${usedUrl}/${new URL(link).hash}` : link;
}
