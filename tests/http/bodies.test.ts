import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { API_KEY, startProcess } from '../crash/host-process.ts';
import { startTestHost, type TestHost } from './host.ts';
import { openRaw, requestText } from './raw-sockets.ts';

let host: TestHost;
beforeAll(async () => {
  host = await startTestHost();
});
afterAll(() => host.stop());

describe('a body with a Content-Encoding', () => {
  const BODY = JSON.stringify({ workflowId: 'quick' });
  const sent = (path: string, encoding: string, key?: null) =>
    host.post(path, undefined, { raw: BODY, key, headers: { 'content-encoding': encoding } });

  it.each(['gzip', 'br', 'deflate', 'gzip, identity', 'nonsense'])('is refused: %s', async (encoding) => {
    for (const path of ['/v1/runs', '/v1/workflows', '/v1/runs:import', '/v1/runs:bulk-cancel']) {
      const answer = await sent(path, encoding);
      expect([answer.status, answer.body.error]).toEqual([415, 'unsupported_media_type']);
      expect(answer.body.message).toContain('Content-Encoding');
      expect(answer.headers.get('accept-encoding')).toBe('identity');
    }
  });

  it('is refused when it is really encoded, and the reason is the encoding', async () => {
    const response = await fetch(`${host.url}/v1/runs`, {
      method: 'POST',
      body: gzipSync(BODY),
      headers: {
        authorization: 'Bearer operator-key-for-tests',
        'content-type': 'application/json',
        'content-encoding': 'gzip',
      },
    });
    expect(response.status).toBe(415);
    expect((await response.json()).message).toContain('Content-Encoding');
  });

  it('is accepted when the encoding changes nothing', async () => {
    expect((await sent('/v1/runs', 'identity')).status).toBe(201);
    expect((await sent('/v1/runs', 'Identity')).status).toBe(201);
  });

  it('tells a caller without a key only that the key is missing', async () => {
    expect((await sent('/v1/runs', 'gzip', null)).status).toBe(401);
  });
});

describe('a client that leaves while it sends its body', () => {
  it('is not reported as a failure of the host', async () => {
    const data = mkdtempSync(join(tmpdir(), 'baton-left-'));
    onTestFinished(() => rmSync(data, { recursive: true, force: true }));
    const own = await startProcess(data, 'examples', { BATON_LOG_LEVEL: 'debug' });
    onTestFinished(async () => void (await own.kill('SIGKILL')));
    let output = '';
    const told = new Promise<void>((resolve) => {
      own.process.stdout?.on('data', (chunk) => {
        output += chunk;
        if (output.includes('before the whole body had arrived') || output.includes('request failed'))
          resolve();
      });
    });

    const head = 'Content-Type: application/json\r\nContent-Length: 1000\r\n';
    const connection = await openRaw(own, `${requestText('POST', '/v1/runs', API_KEY, head)}{"workflowId":`);
    // The host has begun to read the body once it answers a request that came later.
    await fetch(`${own.url}/healthz`);
    connection.socket.resetAndDestroy();
    await told;
    const lines = output.split('\n').filter((line) => line.startsWith('{') && line.includes('/v1/runs'));
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { level: 20, method: 'POST', url: '/v1/runs', msg: expect.stringContaining('closed') },
    ]);
    expect(output).not.toContain('stack');
  });
});
