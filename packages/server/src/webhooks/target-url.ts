import { isIP } from 'node:net';
import { isLocalAddress, isPublicAddress, type Resolve, systemResolve } from '@baton/agents';
import { BatonError, invalid } from '@baton/protocol';

/** The addresses that webhooks may have: those of the public internet, and those of private networks if the operator allows. */
export function allowedAddress(allowsPrivate: boolean): (address: string) => boolean {
  return (address) => isPublicAddress(address) || (allowsPrivate && isLocalAddress(address));
}

interface TargetRules {
  readonly allowsPrivate: boolean;
  readonly resolve?: Resolve;
}

/**
 * Refuses an address at once that no delivery would be sent to. Every delivery looks the name up again, so a name that
 * cannot be found now is accepted.
 */
export async function judgeTarget(
  text: string,
  { allowsPrivate, resolve = systemResolve }: TargetRules,
): Promise<void> {
  if (!URL.canParse(text)) throw invalid('body', { field: 'url', problem: 'is not a URL' });
  const url = new URL(text);
  const isEncrypted = url.protocol === 'https:' || (allowsPrivate && url.protocol === 'http:');
  if (!isEncrypted || url.username !== '' || url.password !== '') throw rejected();
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isAllowed = allowedAddress(allowsPrivate);
  const addresses = isIP(host) === 0 ? await addressesOf(host, resolve) : [host];
  if (!addresses.every(isAllowed)) throw rejected();
}

async function addressesOf(name: string, resolve: Resolve): Promise<readonly string[]> {
  try {
    return (await resolve(name)).map(({ address }) => address);
  } catch {
    return [];
  }
}

function rejected(): BatonError {
  return new BatonError('webhook_url_rejected', undefined, { field: 'url' });
}
