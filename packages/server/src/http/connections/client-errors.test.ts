import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { hangUp } from './client-errors.ts';

it('cuts a connection whose other side reads the answer and then neither closes nor sends anything', async () => {
  let closed = (_cut: boolean) => {};
  const cut = new Promise<boolean>((resolve) => {
    closed = resolve;
  });
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.once('close', () => closed(true));
    hangUp(socket, 'bye', 10);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  onTestFinished(() => void client.destroy());
  const [answer] = await once(client, 'data');
  expect(String(answer)).toBe('bye');
  expect(await cut).toBe(true);
  expect(client.writableEnded).toBe(false);
});
