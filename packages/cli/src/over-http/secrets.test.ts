import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { rotateSecrets } from './secrets.ts';

/** A host that answers each request with a status and a body. */
async function hostAnswering(status: number, body: object) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers.authorization}`);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { asked, host: { url: `http://127.0.0.1:${port}`, apiKey: 'key' } };
}

function noting() {
  const noted: string[] = [];
  return { noted, terminal: { print: () => undefined, note: (text: string) => void noted.push(text) } };
}

it('asks the running host, and names the secrets that could not be opened', async () => {
  const { asked, host } = await hostAnswering(200, { keyId: 'ab12', secrets: 3, unreadable: 1 });
  const { noted, terminal } = noting();
  await rotateSecrets(host, terminal);
  expect(asked).toEqual(['POST /v1/host/secrets:rotate Bearer key']);
  expect(noted).toEqual([
    'The new key is ab12. It encrypts 3 secrets.',
    expect.stringMatching(/^1 could not be opened and stayed as they were/),
  ]);
});

it('says why the host refused', async () => {
  const { host } = await hostAnswering(403, { error: 'forbidden', message: 'This key lacks the scope.' });
  await expect(rotateSecrets(host, noting().terminal)).rejects.toThrow('This key lacks the scope.');
});
