import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunEvent } from '@baton/protocol';
import { storageAt } from '@baton/server/storage';
import { expect } from 'vitest';
import { type Link, startLink } from '../peers/link.ts';
import { DEFINITIONS } from '../peers/two-hosts.ts';
import { call, type HostProcess, startProcess } from './host-process.ts';

/** Two hosts, each in a process of its own, that know each other at the addresses of two links. `a` hands work to `b`. */

export type Side = 'a' | 'b';
export const SIDES: readonly Side[] = ['a', 'b'];
export const otherOf = (side: Side): Side => (side === 'a' ? 'b' : 'a');

export interface TwoProcesses {
  /** The requests to each host. */
  readonly links: Readonly<Record<Side, Link>>;
  dataOf(side: Side): string;
  send(side: Side, method: string, path: string, body?: unknown): Promise<Response>;
  /** Reads with the key of the operator. The runs that a peer has started are in the same tenant. */
  read<T>(side: Side, path: string): Promise<T>;
  eventsOf(side: Side, runId: string): Promise<readonly RunEvent[]>;
  /** Ends the process, and returns the code that it ended with. */
  end(side: Side, signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null>;
  /** Starts a host over the data of its earlier processes. */
  start(side: Side): Promise<void>;
  stop(): Promise<void>;
}

const hostId = (side: Side) => `host-${side}`;

export async function twoProcesses(
  workflowIds: readonly string[],
  env: Record<string, string> = {},
): Promise<TwoProcesses> {
  const folder = mkdtempSync(join(tmpdir(), 'baton-two-'));
  const workflows = join(folder, 'workflows');
  mkdirSync(workflows);
  for (const definition of DEFINITIONS) {
    const id = String(definition.id);
    if (workflowIds.includes(id)) writeFileSync(join(workflows, `${id}.json`), JSON.stringify(definition));
  }
  const links = { a: await startLink(), b: await startLink() };
  const processes = new Map<Side, HostProcess>();
  const dataOf = (side: Side) => join(folder, side);

  async function start(side: Side): Promise<void> {
    const own = { BATON_HOST_ID: hostId(side), BATON_PUBLIC_URL: links[side].url };
    const started = await startProcess(dataOf(side), workflows, { ...own, ...env });
    processes.set(side, started);
    links[side].leadTo(started.url);
  }

  const send: TwoProcesses['send'] = (side, method, path, body) =>
    call(processes.get(side)?.url ?? '', method, path, body);

  async function read<T>(side: Side, path: string): Promise<T> {
    const response = await send(side, 'GET', path);
    expect(response.status, path).toBe(200);
    return (await response.json()) as T;
  }

  /** Makes the other host known to a host, which may use all workflows. */
  async function introduce(side: Side): Promise<void> {
    const peer = otherOf(side);
    const { publicKey } = await read<{ publicKey: string }>(peer, '/v1/audit/key');
    const store = await storageAt({ kind: 'sqlite', folder: dataOf(side) }).openStore();
    await store.putPeer({
      name: peer,
      url: links[peer].url,
      kind: 'baton',
      hostId: hostId(peer),
      auditKey: publicKey,
      tenant: 'default',
      publishes: workflowIds,
      createdAt: 0,
    });
    await store.close();
  }

  for (const side of SIDES) await start(side);
  for (const side of SIDES) await introduce(side);
  return {
    links,
    dataOf,
    send,
    read,
    async eventsOf(side, runId) {
      const path = `/v1/runs/${runId}/events/poll?limit=1000`;
      return (await read<{ events: readonly RunEvent[] }>(side, path)).events;
    },
    async end(side, signal) {
      const code = (await processes.get(side)?.kill(signal)) ?? null;
      processes.delete(side);
      return code;
    },
    start,
    async stop() {
      for (const process of processes.values()) await process.kill('SIGKILL');
      for (const side of SIDES) links[side].close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
