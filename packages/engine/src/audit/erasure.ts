import { FIRST_LINK } from '@baton/protocol';
import type { ErasureRecord } from '../ports/audit.ts';
import { extendLink, sha256 } from './sha256.ts';
import type { SigningKey } from './signing-key.ts';

/**
 * Erases the payloads of a run without breaking its hash chain. The envelope of each event stays. A digest of
 * the event's original text replaces the payload. Links that can no longer be recomputed are kept in a signed
 * record.
 */

const PAYLOAD = ',"payload":';

/** The event with its payload replaced by a digest. */
function erasedText(text: string): string {
  const at = text.indexOf(PAYLOAD);
  if (at === -1) throw new Error('this is not the text of an event');
  return `${text.slice(0, at)}${PAYLOAD}{"erased":true,"sha256":"${sha256(text)}"}}`;
}

interface ErasedLog {
  readonly texts: readonly string[];
  readonly links: readonly string[];
  readonly remains: string;
}

/** `link` is the link before the first of the texts. */
export function eraseLog(link: string, texts: readonly string[]): ErasedLog {
  const links: string[] = [];
  let last = link;
  for (const text of texts) {
    last = extendLink(last, [text]);
    links.push(last);
  }
  const erased = texts.map(erasedText);
  return { texts: erased, links, remains: extendLink(FIRST_LINK, erased) };
}

export function signErasure(
  record: Omit<ErasureRecord, 'keyId' | 'signature'>,
  key: SigningKey,
): ErasureRecord {
  const named = { ...record, keyId: key.keyId };
  return { ...named, signature: key.sign(erasureDigest(named)) };
}

export function erasureDigest(record: Omit<ErasureRecord, 'signature'>): string {
  const { runId, at, by, reason, from, links, remains, keyId } = record;
  return sha256(JSON.stringify([runId, at, by, reason, from, links, remains, keyId]));
}
