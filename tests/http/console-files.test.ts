import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { emptyFolder } from '../empty-folder.ts';
import { startTestHost } from './host.ts';

/** The files of the console, from a small folder that stands for the built one. */

const PAGE = '<!doctype html><title>Baton</title><script type="module" src="/assets/main-1a2b.js"></script>';
const SCRIPT = 'console.log("hello");'.repeat(100);
const SECRET = 'a secret outside of the folder';
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

const root = emptyFolder();
const folder = join(root, 'dist');

mkdirSync(join(folder, 'assets'), { recursive: true });
writeFileSync(join(root, 'secret.txt'), SECRET);
writeFileSync(join(folder, 'index.html'), PAGE);
writeFileSync(join(folder, 'favicon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
writeFileSync(join(folder, 'assets', 'main-1a2b.js'), SCRIPT);
writeFileSync(join(folder, 'assets', 'main-1a2b.js.br'), brotliCompressSync(SCRIPT));
writeFileSync(join(folder, 'assets', 'main-1a2b.js.gz'), gzipSync(SCRIPT));
writeFileSync(join(folder, 'assets', 'main-1a2b.js.map'), '{}');
writeFileSync(join(folder, 'assets', 'gone.js'), 'gone');
symlinkSync(join(root, 'secret.txt'), join(folder, 'assets', 'link.txt'));
const host = await startTestHost({ consoleFolder: folder });
afterAll(() => host.stop());
rmSync(join(folder, 'assets', 'gone.js'));

interface Received {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: Buffer;
}

/** Sends the address as it is: `fetch` would resolve its points. */
function ask(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Received> {
  const { hostname, port } = new URL(host.url);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, method, headers }, (message) => {
      const parts: Buffer[] = [];
      message.on('data', (part) => parts.push(part));
      message.on('end', () =>
        resolve({ status: message.statusCode ?? 0, headers: message.headers, body: Buffer.concat(parts) }),
      );
    });
    sent.on('error', reject).end();
  });
}

describe('a page', () => {
  it.each(['/', '/runs', '/runs/01a1-x/events?at=3', '/inbox#x', '/v10', '/metrics-of-mine'])(
    'is the one document: %s',
    async (path) => {
      const { status, headers, body } = await ask(path, { accept: BROWSER });
      expect([status, body.toString()]).toEqual([200, PAGE]);
      expect(headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'content-length': String(PAGE.length),
        'cache-control': 'no-cache',
        'content-security-policy':
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
          "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
        'cross-origin-resource-policy': 'same-origin',
        'cross-origin-opener-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
      });
      expect(headers).not.toHaveProperty('set-cookie');
    },
  );

  it('is also for HEAD, without its body, and for no other method', async () => {
    const head = await ask('/runs', { accept: BROWSER }, 'HEAD');
    expect([head.status, head.headers['content-length'], head.body.length]).toEqual([
      200,
      String(PAGE.length),
      0,
    ]);
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
      expect((await ask('/runs', { accept: BROWSER }, method)).status).toBe(404);
    }
  });

  it.each<[path: string, accept: string | undefined, status: number]>([
    ['/', undefined, 200],
    ['/', '*/*', 200],
    ['/', 'application/json', 404],
    ['/runs', undefined, 404],
    ['/runs', '*/*', 404],
    ['/runs', 'application/json', 404],
    ['/runs', 'text/html;q=0', 404],
  ])('at %s for a client that accepts %j is answered with %i', async (path, accept, status) => {
    expect((await ask(path, accept === undefined ? {} : { accept })).status).toBe(status);
  });

  it.each<[path: string, status: number]>([
    ['/v1', 404],
    ['/v1/', 401],
    ['/v1/runs', 401],
    ['/v1/no-such-thing', 401],
    ['/v1/session', 401],
    ['/healthz', 200],
    ['/healthz/x', 404],
    ['/.well-known/openwop', 200],
    ['/.well-known/security.txt', 404],
    ['/%76%31/runs', 401],
    ['/assets/no-such.js', 404],
    ['/assets/', 404],
  ])('is not at %s, even for a browser', async (path, status) => {
    const answer = await ask(path, { accept: BROWSER });
    expect(answer.status).toBe(status);
    expect(answer.body.toString()).not.toContain('<!doctype');
    expect(answer.headers['content-security-policy']).toBe("default-src 'none';frame-ancestors 'none'");
  });
});

describe('a file', () => {
  it.each<[encoding: string | undefined, accepted: string, content: Buffer]>([
    [undefined, 'identity', Buffer.from(SCRIPT)],
    ['br', 'gzip, deflate, br', brotliCompressSync(SCRIPT)],
    ['gzip', 'gzip', gzipSync(SCRIPT)],
  ])(
    'is sent in the form %s to a client that accepts %s, and may be kept',
    async (encoding, accepted, content) => {
      const { status, headers, body } = await ask('/assets/main-1a2b.js', { 'accept-encoding': accepted });
      expect(status).toBe(200);
      expect(body.equals(content)).toBe(true);
      expect(headers['content-encoding']).toBe(encoding);
      expect(headers).toMatchObject({
        'content-type': 'text/javascript; charset=utf-8',
        'content-length': String(content.length),
        'cache-control': 'public, max-age=31536000, immutable',
        vary: 'Accept-Encoding',
      });
    },
  );

  it('beside the assets is asked for again, because its name does not change', async () => {
    const { status, headers } = await ask('/favicon.svg?v=1');
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([
      200,
      'image/svg+xml',
      'no-cache',
    ]);
  });

  it.each([
    '/assets/main-1a2b.js.map',
    '/assets/main-1a2b.js.br',
    '/assets/link.txt',
    '/assets/gone.js',
    '/assets/constructor',
    '/__proto__',
    '/../secret.txt',
    '/assets/../../secret.txt',
    '/assets/..%2f..%2fsecret.txt',
    '/assets/%2e%2e/%2e%2e/secret.txt',
    '/assets/%252e%252e/%252e%252e/secret.txt',
    '/assets/..%5c..%5csecret.txt',
    '/assets/....//....//secret.txt',
    '/assets//main-1a2b.js',
    '//assets/main-1a2b.js',
    '/assets/main-1a2b.js%00.txt',
    '/assets/%c0%ae%c0%ae/secret.txt',
    '/assets/MAIN-1A2B.js',
    `${'/assets/'.repeat(500)}x`,
  ])('is not at %s', async (path) => {
    for (const accept of [BROWSER, '*/*']) {
      const { status, body } = await ask(path, { accept });
      expect(body.toString()).not.toContain(SECRET);
      expect(body.toString()).not.toContain('hello');
      if (accept === '*/*') expect([400, 404]).toContain(status);
      else expect([200, 400, 404]).toContain(status);
    }
  });

  it('may have any letters in its address, once they are decoded', async () => {
    expect((await ask('/assets/main%2D1a2b.js')).status).toBe(200);
  });
});

it('does not start without a document', async () => {
  await expect(startTestHost({ consoleFolder: join(root, 'nothing') })).rejects.toThrow(
    /index\.html is missing/,
  );
});
