import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, type RunEvent } from '@baton/client';
import { expect, it, onTestFinished } from 'vitest';
import { API_KEY, type HostProcess, startProcess } from '../crash/host-process.ts';
import { emptyFolder } from '../empty-folder.ts';

/** A host that is killed, or stopped, and started again while a client reads. */

const GATE = {
  id: 'gate',
  nodes: [
    { id: 'before', typeId: 'core.noop' },
    { id: 'gate', typeId: 'core.approvalGate', config: { title: 'Go on?', actions: ['accept', 'reject'] } },
    { id: 'after', typeId: 'core.noop' },
  ],
  edges: [
    { sourceNodeId: 'before', targetNodeId: 'gate' },
    { sourceNodeId: 'gate', targetNodeId: 'after' },
  ],
};

async function twoLives(): Promise<{ first: HostProcess; again(): Promise<HostProcess> }> {
  const folder = emptyFolder();
  const workflows = join(folder, 'workflows');
  mkdirSync(workflows);
  writeFileSync(join(workflows, 'gate.json'), JSON.stringify(GATE));
  const hosts: HostProcess[] = [];
  onTestFinished(async () => {
    for (const host of hosts) await host.kill('SIGKILL');
  });
  const start = async (port: string) => {
    const host = await startProcess(join(folder, 'data'), workflows, { BATON_PORT: port });
    hosts.push(host);
    return host;
  };
  const first = await start('0');
  return { first, again: () => start(new URL(first.url).port) };
}

it.each(['SIGKILL', 'SIGTERM'] as const)('a reader goes on after a %s of the host', async (signal) => {
  const { first, again } = await twoLives();
  const patience = { firstDelayMs: 10, longestDelayMs: 100, streamTries: 10_000, tries: 10_000 };
  const baton = connect({ url: first.url, key: API_KEY, patience });
  const run = await baton.runs.start('gate');
  const result = run.result();
  const seen: RunEvent[] = [];
  let restarted: Promise<unknown> | undefined;
  for await (const event of run.events()) {
    seen.push(event);
    if (event.type !== 'interrupt.requested') continue;
    await first.kill(signal);
    // The reader is left with a lost connection while the host is away, and the answer waits for the host, too.
    restarted = again().then(() => undefined);
    void run.answer({ action: 'accept' });
  }
  await restarted;
  expect(restarted).toBeDefined();
  expect(seen.map(({ sequence }) => sequence)).toEqual(seen.map((_, index) => index));
  expect(seen.at(-1)?.type).toBe('run.completed');
  expect(seen).toEqual(await run.log());
  expect(await result).toMatchObject({ status: 'completed' });
});
