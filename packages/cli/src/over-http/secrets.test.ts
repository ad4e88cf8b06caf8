import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { outputTo } from '../output/output.ts';
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
  const printed: string[] = [];
  const terminal = {
    print: (text: string) => void printed.push(text),
    note: (text: string) => void noted.push(text),
  };
  return {
    noted,
    printed,
    out: outputTo('lines', false, terminal),
    asJson: outputTo('json', false, terminal),
  };
}

it('asks the running host, and names the secrets that could not be opened', async () => {
  const { asked, host } = await hostAnswering(200, { keyId: 'ab12', secrets: 3, unreadable: 1 });
  const { noted, printed, out, asJson } = noting();
  await rotateSecrets(host, out);
  expect(asked).toEqual(['POST /v1/host/secrets:rotate Bearer key']);
  expect(noted).toEqual([
    'The new key is ab12. It encrypts 3 secrets.',
    expect.stringMatching(/^1 could not be opened and stayed as they were/),
  ]);
  expect(printed).toEqual([]);
  await rotateSecrets(host, asJson);
  expect(printed).toEqual(['{"keyId":"ab12","secrets":3,"unreadable":1}']);
  expect(noted).toHaveLength(2);
});

it('says why the host refused', async () => {
  const { host } = await hostAnswering(403, { error: 'forbidden', message: 'This key lacks the scope.' });
  await expect(rotateSecrets(host, noting().out)).rejects.toThrow('This key lacks the scope.');
});
