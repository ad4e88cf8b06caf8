import type { AddressInfo } from 'node:net';
import { createServer, connect as dial, type Socket } from 'node:net';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { piped } from './command-in-pipe.ts';
import { type ExampleHost, startExamples } from './example-host.ts';
import { inTerminal } from './pseudo-terminal.ts';

/** The live tree while the connection to the host is lost. */
const host: ExampleHost = await startExamples();
afterAll(() => host.stop());

/** A line to the host that can be cut and mended. */
async function line() {
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((near) => {
    if (isCut) return near.destroy();
    const far = dial(Number(new URL(host.url).port), '127.0.0.1');
    for (const socket of [near, far]) {
      sockets.add(socket);
      // The other end of a broken line sees an error, which is what is tested.
      socket.on('error', () => undefined);
      socket.on('close', () => sockets.delete(socket));
    }
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const cut = (): void => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(() => {
    cut();
    server.close();
  });
  const mend = (): void => {
    isCut = false;
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, cut, mend };
}

async function waitingRun(): Promise<string> {
  const { out } = await piped(['run', 'release-approval', '--json'], { env: host.env });
  return (JSON.parse(out) as { readonly runId: string }).runId;
}

const LOST = /^ {2}connection lost, trying again · waits for a person · /m;

it('says so in the tree, and no longer when the connection is back', async () => {
  const runId = await waitingRun();
  const { url, cut, mend } = await line();
  const terminal = inTerminal(['tail', runId, '--url', url], { env: host.env });
  await terminal.shows(/^ {2}waits for a person/m);
  cut();
  await terminal.shows(LOST);
  mend();
  await terminal.shows(/^ {2}waits for a person/m);
  expect(terminal.lines().join('\n')).not.toContain('connection lost');
  await piped(['approve', runId, '--yes'], { env: host.env });
  expect(await terminal.ended).toBe(0);
  expect(terminal.lines().join('\n')).not.toContain('connection lost');
});

it('ends with 130 when the person gives up', async () => {
  const { url, cut } = await line();
  const terminal = inTerminal(['tail', await waitingRun(), '--url', url], { env: host.env });
  await terminal.shows(/^ {2}waits for a person/m);
  cut();
  await terminal.shows(LOST);
  terminal.type('\x03');
  expect(await terminal.ended).toBe(130);
  expect(terminal.lines().join('\n')).toContain('The run goes on.');
});
