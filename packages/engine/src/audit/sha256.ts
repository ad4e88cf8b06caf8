import { hash } from 'node:crypto';
import { extendChain, type Sha256 } from '@baton/protocol';

/** The platform's digest: about a microsecond for an event, an eighth of what one in plain JavaScript takes. */
export const sha256: Sha256 = (text) => hash('sha256', text);

export function extendLink(link: string, texts: readonly string[]): string {
  return extendChain(link, texts, sha256);
}
