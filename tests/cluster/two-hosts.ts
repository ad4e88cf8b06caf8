import { expect } from 'vitest';
import { type Cluster, type ClusterHost, call, startRun } from './kit.ts';

/** What tests of takeovers do with the hosts of a cluster. */

export async function twoHosts(
  cluster: Cluster,
  env: Readonly<Record<string, string>> = {},
): Promise<readonly [ClusterHost, ClusterHost]> {
  const one = await cluster.startHost(env);
  return [one, await cluster.startHost(env)];
}

/** Starts a run for each question, and waits until the model has all of them. */
export async function asking(
  cluster: Cluster,
  host: ClusterHost,
  names: readonly string[],
): Promise<readonly string[]> {
  const runs = await Promise.all(names.map((question) => startRun(host, 'asks', { question })));
  await expect.poll(() => cluster.model.waiting()).toBe(names.length);
  return runs;
}

export const timesAsked = (cluster: Cluster, names: readonly string[]) =>
  names.map((name) => cluster.model.asked.get(name));

export async function settledEffects(host: ClusterHost, runId: string): Promise<number> {
  const { body } = await call(host, 'GET', `/v1/runs/${runId}/events`);
  return body.events.filter(({ type }: { type: string }) => type === 'baton.effect.settled').length;
}

export async function end(...hosts: readonly ClusterHost[]): Promise<void> {
  for (const host of hosts) host.signal('SIGKILL');
  await Promise.all(hosts.map((host) => host.exited));
}
