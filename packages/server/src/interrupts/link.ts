import type { Identity } from '../auth/keyring.ts';
import type { HostContext } from '../http/context.ts';

interface Linked {
  readonly runId: string;
  readonly interruptId: string;
  /** As epoch milliseconds or as a timestamp. */
  readonly expiresAt?: unknown;
}

interface InterruptLink {
  readonly interruptToken: string;
  readonly callbackUrl: string;
}

/**
 * The link that answers an interrupt without a key. A link is a permission, so it is given only to callers
 * that may answer the interrupt themselves.
 */
export function interruptLink(
  host: Pick<HostContext, 'tokens' | 'settings'>,
  identity: Identity,
  { runId, interruptId, expiresAt }: Linked,
): InterruptLink | undefined {
  if (!identity.scopes.has('approvals:respond')) return undefined;
  const ends = typeof expiresAt === 'string' ? Date.parse(expiresAt) : expiresAt;
  const claim = { tenant: identity.tenant, runId, interruptId };
  const interruptToken = host.tokens.sign(claim, typeof ends === 'number' ? ends : undefined);
  return { interruptToken, callbackUrl: `${host.settings.publicUrl ?? ''}/v1/interrupts/${interruptToken}` };
}
