import { isLoopback } from '../loopback.ts';
import { EXIT, type ExitCode } from '../output/exit-codes.ts';
import type { Session } from '../session.ts';

/** `baton open`: a link that signs a browser in with the key of the command. */
export async function openConsole({ baton, out }: Session): Promise<ExitCode> {
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
