import { fetchTo } from '@baton/agents';
import type { HostParts, HostSettings } from '@baton/server';
import { onTestFinished } from 'vitest';
import { ALL_SCOPES, startTestHost, type TestHost } from '../http/host.ts';
import { AUTHORITY, filesOf, SERVER, type TestCertificate } from './certificates.ts';
import { DEFINITIONS } from './two-hosts.ts';

/** Real hosts that serve https, and callers that present certificates to them. */

export const KEY_OF_A = 'key-for-the-runs-of-host-a';

export async function secureHost(
  settings: Partial<HostSettings> = {},
  parts: HostParts = {},
): Promise<TestHost> {
  const client = fetchTo(() => true, { tls: { ca: AUTHORITY } });
  const keys = [{ token: KEY_OF_A, tenant: 'peer-a', scopes: ALL_SCOPES }];
  const host = await startTestHost(
    { tls: filesOf(SERVER), builtinWorkflows: DEFINITIONS, ...settings },
    keys,
    parts,
    client.fetch,
  );
  onTestFinished(async () => {
    await client.close();
    await host.stop();
  });
  return host;
}

/** Asks for an address with this certificate, and with this token if there is one. Returns status and text. */
export async function askWith(
  url: string,
  certificate: TestCertificate | undefined,
  token?: string,
): Promise<readonly [status: number, text: string]> {
  const client = fetchTo(() => true, {
    tls: {
      ca: AUTHORITY,
      ...(certificate && { certificate: { chain: certificate.pem, key: certificate.key } }),
    },
  });
  try {
    const headers = { ...(token !== undefined && { authorization: `Bearer ${token}` }) };
    const response = await client.fetch(url, { headers });
    return [response.status, await response.text()];
  } finally {
    await client.close();
  }
}
