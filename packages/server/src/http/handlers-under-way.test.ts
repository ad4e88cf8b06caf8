import { fastify } from 'fastify';
import { expect, it, onTestFinished } from 'vitest';
import { createHandlersUnderWay } from './handlers-under-way.ts';

it('waits for handlers whose client has gone, and refuses those that come later', async () => {
  const handlers = createHandlersUnderWay();
  const app = fastify();
  onTestFinished(() => app.close());
  handlers.watch(app);
  const order: string[] = [];
  let finish = () => {};
  let begun = () => {};
  const hasBegun = new Promise<void>((resolve) => (begun = resolve));
  app.get('/slow', async () => {
    begun();
    await new Promise<void>((resolve) => (finish = resolve));
    order.push('the handler has ended');
    throw new Error('nobody hears this');
  });
  app.get('/later', async () => 'answered');
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  const client = new AbortController();
  const asked = fetch(`${url}/slow`, { signal: client.signal });
  await hasBegun;
  client.abort();
  await expect(asked).rejects.toThrow();
  const closed = handlers.close().then(() => void order.push('closed'));
  expect((await app.inject('/later')).body).toBe('answered');
  finish();
  await closed;
  expect(order).toEqual(['the handler has ended', 'closed']);
  expect((await app.inject('/later')).statusCode).toBe(503);
});
