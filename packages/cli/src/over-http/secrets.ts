import type { Terminal } from '../terminal.ts';
import { ask, type RunningHost } from './running-host.ts';

/** Rotates the key of stored secrets. Only the running host may do that: it knows which secrets are being stored. */
export async function rotateSecrets(host: RunningHost, terminal: Terminal): Promise<void> {
  const { keyId, secrets, unreadable } = JSON.parse(await ask(host, '/v1/host/secrets:rotate', '{}')) as {
    readonly keyId: string;
    readonly secrets: number;
    readonly unreadable: number;
  };
  terminal.note(`The new key is ${keyId}. It encrypts ${secrets} ${secrets === 1 ? 'secret' : 'secrets'}.`);
  if (unreadable === 0) return;
  terminal.note(
    `${unreadable} could not be opened and stayed as they were. Their tenants have to set or delete them; ` +
      'GET /v1/secrets marks them as unreadable.',
  );
}
