import { expect, it } from 'vitest';
import { ALL_SCOPES, startTestHost } from './host.ts';

it('limits requests for each key on its own', async () => {
  const host = await startTestHost({ rateLimit: 5 }, [
    { token: 'other', tenant: 'default', scopes: ALL_SCOPES },
  ]);
  const answers = await Promise.all(Array.from({ length: 20 }, () => host.get('/v1/runs')));
  const refused = answers.filter((answer) => answer.status === 429);
  expect(refused.length).toBeGreaterThanOrEqual(10);
  expect(refused[0]?.body.error).toBe('rate_limited');
  expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await host.get('/v1/runs', { key: 'other' })).status).toBe(200);
  expect((await host.get('/healthz')).status).toBe(200);
  await host.stop();
});

it('lets only listed sites read its answers', async () => {
  const host = await startTestHost({ corsOrigins: ['https://console.example.com'] });
  const from = (origin: string) => ({ headers: { origin } });
  const listed = await host.get('/v1/runs', from('https://console.example.com'));
  expect(listed.headers.get('access-control-allow-origin')).toBe('https://console.example.com');
  const other = await host.get('/v1/runs', from('https://evil.example.com'));
  expect(other.headers.get('access-control-allow-origin')).toBeNull();
  const preflight = await host.send('OPTIONS', '/v1/runs', undefined, {
    key: null,
    headers: { origin: 'https://console.example.com', 'access-control-request-method': 'POST' },
  });
  expect(preflight.status).toBe(204);
  const allowed = preflight.headers.get('access-control-allow-headers')?.toLowerCase().split(/, */);
  // Every header that the client sends, or a client in a browser could not use the route.
  expect(allowed).toEqual(
    expect.arrayContaining([
      'authorization',
      'content-type',
      'idempotency-key',
      'if-match',
      'last-event-id',
      'prefer',
      'traceparent',
    ]),
  );
  const { body } = await host.run('quick');
  const stream = await host.get(`/v1/runs/${body.runId}/events`, {
    headers: { accept: 'text/event-stream', origin: 'https://console.example.com' },
  });
  expect(stream.headers.get('access-control-allow-origin')).toBe('https://console.example.com');
  await host.stop();
});
