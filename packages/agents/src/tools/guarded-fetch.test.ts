import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { fetchFailure } from './fetch-refusal.ts';
import {
  type FetchBounds,
  fetchTo,
  type GuardedFetch,
  type GuardedFetchOptions,
  guardedFetch,
  redirected,
} from './guarded-fetch.ts';
import type { Resolve } from './judged-lookup.ts';

const servers: Server[] = [];
const clients: GuardedFetch[] = [];

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  await Promise.all(
    servers.splice(0).map((server) => {
      server.closeAllConnections();
      return new Promise((done) => server.close(done));
    }),
  );
});

/** A server on loopback, and the requests that it got. */
async function serve(listener: RequestListener) {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    listener(request, response);
  });
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, port, requests };
}

function client(options: Partial<GuardedFetchOptions> = {}): GuardedFetch['fetch'] {
  const made = guardedFetch({ mode: 'operator', ...options });
  clients.push(made);
  return made.fetch;
}

const resolvesTo =
  (...addresses: string[]): Resolve =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

const refused = (rule: string) => expect.objectContaining({ name: 'FetchRefusal', rule });

describe('a guarded client refuses', () => {
  const guarded = (url: string) => client({ mode: 'guarded' })(url);

  it.each([
    'http://127.0.0.1',
    'http://127.1',
    'http://0x7f000001',
    'http://0x7f.1',
    'http://2130706433',
    'http://0177.0.0.1',
    'http://0',
    'http://127.0.0.1.',
    'http://１２７.０.０.１',
    'http://[::1]',
    'http://[::]',
    'http://[::ffff:127.0.0.1]',
    'http://[::ffff:7f00:1]',
    'http://[0:0:0:0:0:0:0:1]',
    'http://169.254.169.254/latest/meta-data',
    'http://10.1.2.3',
    'https://192.168.0.1:8443',
    'http://[fd00::1]',
    'http://[64:ff9b::7f00:1]',
  ])('the literal address %s', async (url) => {
    await expect(guarded(url)).rejects.toEqual(refused('address'));
  });

  it.each([
    'file:///etc/passwd',
    'ftp://example.com',
    'data:text/plain,hello',
    'gopher://example.com',
    'example.com',
    '//example.com',
    '',
    'https://user@example.com',
    'https://user:password@example.com',
    'https://:password@example.com',
  ])('the URL "%s"', async (url) => {
    await expect(guarded(url)).rejects.toEqual(refused('url'));
  });

  it.each([
    ['one private address', ['127.0.0.1']],
    ['a private address after a public one', ['93.184.216.34', '10.0.0.1']],
    ['a private IPv6 address after a public one', ['93.184.216.34', '::1']],
    ['an address in IPv6 form', ['::ffff:127.0.0.1']],
    ['no address', []],
    ['another name', ['localhost']],
  ])('a name that has %s', async (_, addresses) => {
    const { port, requests } = await serve((_request, response) => response.end('reached'));
    const fetch = client({ mode: 'guarded', resolve: resolvesTo(...addresses) });
    await expect(fetch(`http://public.example:${port}`)).rejects.toEqual(refused('address'));
    expect(requests).toEqual([]);
  });

  it('names of this machine, as the system resolves them', async () => {
    const { port, requests } = await serve((_request, response) => response.end('reached'));
    await expect(guarded(`http://localhost:${port}`)).rejects.toEqual(refused('address'));
    // Not every resolver knows this spelling.
    await expect(guarded(`http://localhost.:${port}`)).rejects.toThrow();
    expect(requests).toEqual([]);
  });

  it('a name that changes to a private address for the second connection', async () => {
    const { port, requests } = await serve((_request, response) => response.end('reached'));
    const answers = [['192.0.2.1'], ['127.0.0.1']].map((addresses) => resolvesTo(...addresses));
    const asked: string[] = [];
    const resolve: Resolve = (name) => {
      asked.push(name);
      return (answers.shift() ?? resolvesTo('127.0.0.1'))(name);
    };
    const fetch = client({ mode: 'guarded', resolve });
    await expect(fetch(`http://changing.example:${port}`)).rejects.toEqual(refused('address'));
    await expect(fetch(`http://changing.example:${port}`)).rejects.toEqual(refused('address'));
    expect(asked).toEqual(['changing.example', 'changing.example']);
    expect(requests).toEqual([]);
  });
});

describe('with 127.0.0.1 in the place of the public internet', () => {
  const onlyOne = (options: FetchBounds = {}) => {
    const made = fetchTo((address) => address === '127.0.0.1', options);
    clients.push(made);
    return made.fetch;
  };

  it('a name is looked up once a connection, and the connection goes to the address that was judged', async () => {
    const asked: string[] = [];
    const addresses = [['127.0.0.1'], ['127.0.0.2']];
    const resolve: Resolve = (name) => {
      asked.push(name);
      return resolvesTo(...(addresses.shift() ?? []))(name);
    };
    const { port, requests } = await serve((_request, response) =>
      response.writeHead(200, { connection: 'close' }).end('reached'),
    );
    const fetch = onlyOne({ resolve });
    await expect((await fetch(`http://public.example:${port}`)).text()).resolves.toBe('reached');
    expect(asked).toEqual(['public.example']);
    await expect(fetch(`http://public.example:${port}`)).rejects.toEqual(refused('address'));
    expect(requests.map(({ headers }) => headers.host)).toEqual([`public.example:${port}`]);
  });

  it.each(['http://127.0.0.2', 'http://[::1]', 'http://private.example', 'http://127.2'])(
    'a redirect to %s is refused',
    async (location) => {
      const { port, url, requests } = await serve((_request, response) =>
        response.writeHead(302, { location: `${location}:${port}` }).end(),
      );
      const fetch = onlyOne({ resolve: resolvesTo('127.0.0.2') });
      await expect(fetch(url)).rejects.toEqual(refused('redirect'));
      expect(requests).toHaveLength(1);
    },
  );
});

it('an operator client calls private addresses, and keeps every other rule', async () => {
  const { url } = await serve((_request, response) => response.end('reached'));
  const fetch = client();
  await expect((await fetch(url)).text()).resolves.toBe('reached');
  await expect(fetch('file:///etc/passwd')).rejects.toEqual(refused('url'));
  await expect(fetch(url.replace('//', '//user:password@'))).rejects.toEqual(refused('url'));
});

describe('a redirect', () => {
  const redirecting = (location: string, status = 302) =>
    serve((_request, response) => response.writeHead(status, { location }).end());

  it('is followed, and the response names the last address', async () => {
    const { url } = await serve((request, response) => {
      if (request.url === '/') response.writeHead(302, { location: '/there?a=b' }).end();
      else response.end(request.url);
    });
    const response = await client()(url);
    expect(response.url).toBe(`${url}/there?a=b`);
    await expect(response.text()).resolves.toBe('/there?a=b');
  });

  it.each(['file:///etc/passwd', 'ftp://example.com/', 'http://user:password@example.com/'])(
    'to %s is refused',
    async (location) => {
      const { url } = await redirecting(location);
      await expect(client()(url)).rejects.toEqual(refused('redirect'));
    },
  );

  it('to an address without encryption is refused', async () => {
    const response = new Response(null, { status: 302, headers: { location: 'http://public.example/' } });
    expect(() => redirected(new URL('https://public.example'), {}, response)).toThrow(/without encryption/);
  });

  it('to itself ends after five', async () => {
    const { url, requests } = await redirecting('/');
    await expect(client()(url)).rejects.toEqual(refused('redirect'));
    expect(requests).toHaveLength(6);
  });

  it('keeps headers within an origin and drops them across origins', async () => {
    const headers = {
      authorization: 'Bearer secret',
      'x-api-key': 'secret',
      cookie: 'a=secret',
      accept: 'text/x',
    };
    const other = await serve((_request, response) => response.end());
    const first = await serve((request, response) => {
      const location = request.url === '/' ? '/again' : `${other.url}/elsewhere`;
      response.writeHead(302, { location }).end();
    });
    await client()(first.url, { headers });
    expect(first.requests.map((request) => request.headers)).toEqual([
      expect.objectContaining(headers),
      expect.objectContaining(headers),
    ]);
    expect(other.requests).toHaveLength(1);
    expect(other.requests[0]!.headers).toMatchObject({ accept: 'text/x' });
    expect(JSON.stringify(other.requests[0]!.headers)).not.toContain('secret');
  });

  it.each([307, 308])('with status %i does not hand a body to another origin', async (status) => {
    const other = await serve((_request, response) => response.end());
    const { url } = await redirecting(other.url, status);
    await expect(client()(url, { method: 'POST', body: 'data' })).rejects.toEqual(refused('redirect'));
    expect(other.requests).toEqual([]);
  });

  it.each([
    [302, 'GET'],
    [303, 'GET'],
    [307, 'POST'],
    [308, 'POST'],
  ])('with status %i makes a POST a %s', async (status, method) => {
    const { url, requests } = await serve((request, response) => {
      if (request.url === '/') response.writeHead(status, { location: '/there' }).end();
      else response.end();
    });
    await client()(url, { method: 'POST', body: 'data' });
    expect(requests.map((request) => request.method)).toEqual(['POST', method]);
  });
});

describe('a response is bounded', () => {
  it('in size', async () => {
    const { url } = await serve((_request, response) => response.end('x'.repeat(1001)));
    const fetch = client({ maxBytes: 1000 });
    const error = await fetch(url)
      .then((response) => response.text())
      .catch((problem: unknown) => problem);
    expect(error).toEqual(refused('size'));
    expect(fetchFailure(error)).toBe('too-large');
    await expect((await client({ maxBytes: 1001 })(url)).text()).resolves.toHaveLength(1001);
  });

  it('in size after decompression', async () => {
    const bomb = gzipSync('x'.repeat(1_000_000));
    expect(bomb.length).toBeLessThan(2000);
    const { url } = await serve((_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
    );
    const response = await client({ maxBytes: 10_000 })(url);
    await expect(response.text()).rejects.toEqual(refused('size'));
  });

  it('in the time until its head', async () => {
    const { url } = await serve(() => undefined);
    await expect(client({ headersTimeoutMs: 50 })(url).catch(fetchFailure)).resolves.toBe('timed-out');
  });

  it('in the silence within its body', async () => {
    const { url } = await serve((_request, response) => response.writeHead(200).write('beginning'));
    const response = await client({ bodyTimeoutMs: 50 })(url);
    await expect(response.text().catch(fetchFailure)).resolves.toBe('timed-out');
  });

  it('by the signal of the caller, which closes the connection', async () => {
    let closed: () => void = () => undefined;
    const closing = new Promise<void>((done) => {
      closed = done;
    });
    const aborting = new AbortController();
    const { url } = await serve((request) => {
      request.socket.once('close', () => closed());
      aborting.abort();
    });
    await expect(client()(url, { signal: aborting.signal })).rejects.toMatchObject({ name: 'AbortError' });
    await expect(closing).resolves.toBe(undefined);
  });
});

describe('a failure', () => {
  it('to connect means that the request was not sent', async () => {
    const { url } = await serve(() => undefined);
    const server = servers.pop()!;
    await new Promise((done) => server.close(done));
    await expect(client()(url).catch(fetchFailure)).resolves.toBe('unsent');
  });

  it('of an open connection means that the request may have arrived', async () => {
    const { url } = await serve((request) => request.socket.destroy());
    await expect(client()(url).catch(fetchFailure)).resolves.toBe('lost');
  });
});

it('has no body where there is none', async () => {
  const { url } = await serve((_request, response) => response.writeHead(204).end());
  const response = await client()(url);
  expect([response.status, response.body]).toEqual([204, null]);
});
