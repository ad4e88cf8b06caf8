import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { BatonError } from '@baton/protocol';
import type { Identity } from '../auth/keyring.ts';
import type { HostSettings } from '../settings.ts';
import type { StoredKeys } from '../storage/open-storage.ts';

/** The contents of a signed link. Its holder may answer this one interrupt and do nothing else. */
export interface InterruptClaim {
  readonly tenant: string;
  readonly runId: string;
  readonly interruptId: string;
}

export interface InterruptTokens {
  /** A token that is valid until the interrupt expires, but not longer than the host's own limit. */
  sign(claim: InterruptClaim, interruptExpiresAt?: number): string;
  /** The claim of a token that this host signed. Throws for any other token and for an expired one. */
  verify(token: string): InterruptClaim;
  /** Tokens of one interrupt are the same within a time window. A new window brings a new token. */
  window(): number;
}

export function createInterruptTokens(key: Buffer, lifetimeMs: number, now: () => number): InterruptTokens {
  // Signing gives the same token within half a lifetime, so that reading does not change a snapshot.
  const windowMs = Math.max(1, Math.floor(lifetimeMs / 2));
  const window = (): number => Math.floor(now() / windowMs);
  const macOf = (payload: string): Buffer => createHmac('sha256', key).update(payload).digest();

  return {
    window,
    sign({ tenant, runId, interruptId }, interruptExpiresAt = Number.POSITIVE_INFINITY) {
      const expiresAt = Math.min((window() + 2) * windowMs, interruptExpiresAt);
      const payload = Buffer.from(JSON.stringify([tenant, runId, interruptId, expiresAt])).toString(
        'base64url',
      );
      return `${payload}.${macOf(payload).toString('base64url')}`;
    },
    verify(token) {
      const [payload = '', mac = '', ...rest] = token.split('.');
      const given = Buffer.from(mac, 'base64url');
      const right = macOf(payload);
      if (rest.length > 0 || given.length !== right.length || !timingSafeEqual(given, right)) {
        throw new BatonError('not_found', 'There is no interrupt with this token.');
      }
      const [tenant, runId, interruptId, expiresAt] = JSON.parse(
        Buffer.from(payload, 'base64url').toString(),
      );
      if (expiresAt <= now()) throw new BatonError('interrupt_gone', 'The token has expired.');
      return { tenant, runId, interruptId };
    },
  };
}

const KEY_BYTES = 32;

/** The key that signs links. It is made once and kept with the data, so that links outlive a restart. */
export async function loadTokenKey(keys: StoredKeys): Promise<Buffer> {
  const { text, where } = await keys.keepKey('token', () => randomBytes(KEY_BYTES).toString('hex'));
  const key = Buffer.from(text, 'hex');
  if (key.length !== KEY_BYTES) throw new Error(`${where} does not hold a key; restore it or delete it`);
  return key;
}

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
  host: { readonly tokens: InterruptTokens; readonly settings: Pick<HostSettings, 'publicUrl'> },
  identity: Identity,
  { runId, interruptId, expiresAt }: Linked,
): InterruptLink | undefined {
  if (!identity.scopes.has('approvals:respond')) return undefined;
  const ends = typeof expiresAt === 'string' ? Date.parse(expiresAt) : expiresAt;
  const claim = { tenant: identity.tenant, runId, interruptId };
  const interruptToken = host.tokens.sign(claim, typeof ends === 'number' ? ends : undefined);
  return { interruptToken, callbackUrl: `${host.settings.publicUrl ?? ''}/v1/interrupts/${interruptToken}` };
}
