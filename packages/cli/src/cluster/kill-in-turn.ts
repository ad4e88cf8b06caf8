import type { Baton } from '@baton/client';
import type { Output } from '../output/output.ts';
import type { HostProcess } from './host-process.ts';

interface KillOptions {
  readonly everyMs: number;
  readonly hosts: Map<number, HostProcess>;
  readonly clients: () => readonly { readonly port: number; readonly baton: Baton }[];
  readonly start: (port: number) => Promise<HostProcess>;
  readonly out: Output;
}

const LOOK_EVERY_MS = 50;
const PATIENCE_MS = 30_000;

/** Kills one host after the other, tells what the others took over and when, and starts the host again. */
export function killInTurn({ everyMs, hosts, clients, start, out }: KillOptions): () => Promise<void> {
  let stopped = false;
  let turn = 0;
  let timer: NodeJS.Timeout | undefined;
  let working = Promise.resolve();

  async function killOne(): Promise<void> {
    const ports = [...hosts.keys()].sort();
    const port = ports[turn++ % ports.length];
    const victim = port === undefined ? undefined : hosts.get(port);
    const witness = clients().find((one) => one.port !== port);
    if (port === undefined || victim === undefined || witness === undefined) return;
    const before = await rowOf(witness.baton, port);
    await victim.kill();
    hosts.delete(port);
    const killedAt = performance.now();
    const had = `${before?.trees ?? 0} unfinished trees and ${before?.effects ?? 0} calls under way`;
    out.give(
      { event: 'killed', port, trees: before?.trees, calls: before?.effects },
      `Killed ${port} with ${had}.`,
    );
    await until(async () => (await rowOf(witness.baton, port)) === undefined);
    const seconds = ((performance.now() - killedAt) / 1000).toFixed(2);
    out.give(
      { event: 'taken-over', port, afterSeconds: Number(seconds) },
      `  The others took over after ${seconds} s.`,
    );
    await start(port);
    out.give({ event: 'started', port }, `  Port ${port} is back.`);
  }

  function next(): void {
    timer = setTimeout(() => {
      working = killOne()
        .catch((problem) => out.note(String(problem)))
        .finally(() => {
          if (!stopped) next();
        });
    }, everyMs);
  }

  next();
  return async () => {
    stopped = true;
    clearTimeout(timer);
    await working;
  };
}

async function rowOf(baton: Baton, port: number) {
  const { hosts } = await baton.host.hosts();
  return hosts.find(({ name }) => name.endsWith(`:${port}`));
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (performance.now() < end) {
    if (await isSo().catch(() => false)) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  throw new Error('The others did not take over in time.');
}
