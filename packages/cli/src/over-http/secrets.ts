import { EXIT, type ExitCode } from '../output/exit-codes.ts';
import type { Output } from '../output/output.ts';
import { ask, type RunningHost } from './running-host.ts';

/** Rotates the key of stored secrets. Only the running host may do that: it knows which secrets are being stored. */
export async function rotateSecrets(host: RunningHost, out: Output): Promise<ExitCode> {
  const { keyId, secrets, unreadable } = JSON.parse(await ask(host, '/v1/host/secrets:rotate', '{}')) as {
    readonly keyId: string;
    readonly secrets: number;
    readonly unreadable: number;
  };
  out.give({ keyId, secrets, unreadable }, '');
  out.note(`The new key is ${keyId}. It encrypts ${secrets} ${secrets === 1 ? 'secret' : 'secrets'}.`);
  if (unreadable === 0) return EXIT.done;
  out.note(
    `${unreadable} could not be opened and stayed as they were. Their tenants have to set or delete them; ` +
      'GET /v1/secrets marks them as unreadable.',
  );
  return EXIT.done;
}
