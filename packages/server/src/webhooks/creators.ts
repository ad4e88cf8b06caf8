import type { ApiKey, KeyReads, WebhookRecord } from '@baton/engine/ports';
import { OPERATOR, OPERATOR_TENANT } from '../auth/keyring.ts';

/** Another process can revoke a key, such as `baton keys revoke`. It is noticed within this time, as by the keyring. */
const KNOWN_MS = 1_000;

type Created = Pick<WebhookRecord, 'tenant' | 'principal'>;

/**
 * Whether the creator of a webhook may still read what the webhook is sent: one of the keys of the principal is valid
 * and has the scope `runs:read`. It need not be the key that created the webhook, because keys are replaced.
 */
export type MayRead = (webhook: Created) => Promise<boolean>;

export function creators(reads: Pick<KeyReads, 'keys'>, now: () => number): MayRead {
  let known: Promise<ReadonlySet<string>> = Promise.resolve(new Set());
  let until = 0;
  return async (webhook) => {
    if (now() >= until) {
      until = now() + KNOWN_MS;
      known = reads.keys().then(readersAmong, (problem) => {
        until = 0;
        throw problem;
      });
    }
    return isOperator(webhook) || (await known).has(nameOf(webhook));
  };
}

/** The key of the operator is a setting of the host and cannot be revoked. */
function isOperator({ tenant, principal }: Created): boolean {
  return tenant === OPERATOR_TENANT && principal === OPERATOR;
}

function readersAmong(keys: readonly ApiKey[]): ReadonlySet<string> {
  const valid = keys.filter(
    ({ revokedAt, scopes }) => revokedAt === undefined && scopes.includes('runs:read'),
  );
  return new Set(valid.map(nameOf));
}

function nameOf({ tenant, principal }: Created): string {
  return JSON.stringify([tenant, principal]);
}
