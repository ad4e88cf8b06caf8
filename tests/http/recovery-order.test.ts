import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { launch } from '../poison/launch.mjs';
import { startTestHost } from './host.ts';

/** A run that stops the engine during recovery must not keep the host from being asked about it. */

it('a host listens before it goes on with what was under way', async () => {
  const port = await freePort();
  const listened: boolean[] = [];
  const host = await startTestHost({ port }, [], {
    launch: (settings) => {
      const worker = launch(settings);
      const post = worker.postMessage.bind(worker);
      worker.postMessage = (message: { readonly kind: string }) => {
        if (message.kind === 'recover') listened.push(isListening(port));
        post(message);
      };
      return worker;
    },
  });
  await host.stop();
  expect(listened).toEqual([true]);
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Asked from another process, while nothing else can happen in this one. */
function isListening(port: number): boolean {
  const attempt = `require('net').connect(${port}, '127.0.0.1').on('connect', () => process.exit(0)).on('error', () => process.exit(1))`;
  try {
    execFileSync(process.execPath, ['-e', attempt]);
    return true;
  } catch {
    return false;
  }
}
