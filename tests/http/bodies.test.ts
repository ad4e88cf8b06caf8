import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { API_KEY, startProcess } from '../crash/host-process.ts';
import { emptyFolder } from '../empty-folder.ts';
import { sharedHost } from './host.ts';
import { openRaw, requestText } from './raw-sockets.ts';

const host = await sharedHost();
afterAll(() => host.stop());

describe('a body with a Content-Encoding', () => {
  const BODY = JSON.stringify({ workflowId: 'quick' });
  const sent = (path: string, encoding: string, key?: null) =>
    host.post(path, undefined, { raw: BODY, key, headers: { 'content-encoding': encoding } });

  it.each(['gzip', 'br', 'deflate', 'gzip, identity', 'nonsense'])('is refused: %s', async (encoding) => {
    for (const path of ['/v1/runs', '/v1/workflows', '/v1/runs:bulk-cancel']) {
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

describe('a body that is larger than the limit', () => {
  /** Without an answer to wait for, the body is sent in two parts, the second one after the host has seen the first. */
  it('is read to its end before the answer, so that closing the connection loses nothing', async () => {
    const half = 'x'.repeat(3 * 1024 * 1024);
    const seen = await new Promise<{ status?: number; isSent: boolean }>((resolve, reject) => {
      let isSent = false;
      const sent = request(`${host.url}/v1/runs`, {
        method: 'POST',
        headers: {
          authorization: 'Bearer operator-key-for-tests',
          'content-type': 'application/json',
          'content-length': 2 * half.length,
        },
      });
      sent.on('error', reject);
      sent.on('response', (response) => {
        response.resume();
        resolve({ status: response.statusCode, isSent });
      });
      // Two answers to others show that the host has had the time to answer.
      sent.write(half, async () => {
        for (const _ of [1, 2]) await host.get('/healthz');
        isSent = true;
        sent.end(half);
      });
    });
    expect(seen).toEqual({ status: 413, isSent: true });
  });
});

describe('a client that leaves while it sends its body', () => {
  const SECRET = 'tok-live-5c1d9e7f20';

  /** The lines that the host logs about a request to this address whose body never ends. */
  async function loggedAbout(path: string): Promise<readonly string[]> {
    const data = emptyFolder();
    const secrets = join(data, 'secrets.json');
    writeFileSync(secrets, JSON.stringify({ '*': { token: SECRET } }), { mode: 0o600 });
    const own = await startProcess(join(data, 'host'), 'examples', {
      BATON_LOG_LEVEL: 'debug',
      BATON_SECRETS_FILE: secrets,
    });
    onTestFinished(async () => void (await own.kill('SIGKILL')));
    let output = '';
    const told = new Promise<void>((resolve) => {
      own.process.stdout?.on('data', (chunk) => {
        output += chunk;
        if (/before the whole body had arrived|request failed/.test(output)) resolve();
      });
    });
    const head = 'Content-Type: application/json\r\nContent-Length: 1000\r\n';
    const connection = await openRaw(own, `${requestText('POST', path, API_KEY, head)}{"workflowId":`);
    // The host has begun to read the body once it answers a request that came later.
    await fetch(`${own.url}/healthz`);
    connection.socket.resetAndDestroy();
    await told;
    return output.split('\n').filter((line) => line.startsWith('{') && line.includes('"method"'));
  }

  it('is not reported as a failure of the host', async () => {
    const lines = await loggedAbout('/v1/runs');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { level: 20, method: 'POST', url: '/v1/runs', msg: expect.stringContaining('closed') },
    ]);
    expect(lines.join()).not.toContain('stack');
  });

  it('leaves no secret of its address in the log', async () => {
    const lines = await loggedAbout(`/v1/runs?token=${SECRET}`);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ url: '/v1/runs?token=[REDACTED:token]' }]);
    expect(lines.join()).not.toContain(SECRET);
  });
});
