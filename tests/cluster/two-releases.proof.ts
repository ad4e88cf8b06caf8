import type { LocalEngine } from '@baton/engine';
import { joinHosts, openPostgresReads, openPostgresStore, prepareDatabase } from '@baton/store-postgres';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { inOrder, node, workflow } from '../../packages/conformance/src/testkit/workflows.ts';
import { newDatabase, stopServers } from '../../packages/store-postgres/testing/postgres-server.ts';
import { heldEffects } from '../driver/held-effects.ts';
import { type Bench, CALLER, startTestEngine } from '../driver/test-engine.ts';
import { ask } from '../moving/kit.ts';

/**
 * The hosts of a database are replaced one after the other by those of a release that writes newer logs. Both are of this
 * version of Baton, which makes the same events; only the number differs by which hosts know what they can fold.
 */

afterAll(stopServers);

const STEPS = Array.from({ length: 8 }, (_, at) => node(`n${at}`, 'core.noop'));
const ASKS_AND_STEPS = [node('gate', 'core.approvalGate', { title: 'Go on?' }), ...STEPS];
const WORKFLOWS = [
  workflow('steps', STEPS, { edges: inOrder(STEPS) }),
  workflow('asks', ASKS_AND_STEPS, { edges: inOrder(ASKS_AND_STEPS) }),
  workflow('waits', [node('wait', 'core.delay', { ms: 300 })]),
  workflow('acts', [node('act', 'core.conformance.side-effect')]),
];

async function hostOf(url: string, name: string, logVersion: number) {
  const member = await joinHosts({ url, name, version: name, logVersion, leaseMs: 5000, tickMs: 50 });
  const { hostNo } = member;
  const { calls, perform } = heldEffects();
  const bench = await startTestEngine({
    perform,
    ownership: {
      owner: String(hostNo),
      alive: () => member.newest().hosts.map((host) => String(host.hostNo)),
    },
    open: async () => ({
      store: await openPostgresStore(url, hostNo, logVersion),
      reads: await openPostgresReads(url, hostNo, logVersion),
    }),
  });
  const engine = bench.engine as LocalEngine;
  member.onTick(({ isHostGone }) => void (isHostGone && engine.adopt()));
  onTestFinished(() => member.leave());
  const leave = async () => {
    await engine.drain();
    await engine.stop();
    await member.leave();
  };
  return { bench, calls, leave };
}

const on = (kind: 'pause-run' | 'resume-run', runId: string) =>
  ({ kind, caller: CALLER, runId, drainPolicy: 'immediate' }) as const;

async function codeOf(host: Bench, command: Parameters<Bench['execute']>[0]): Promise<string> {
  const reply = await host.execute(command);
  return reply.ok ? 'ok' : reply.error.error;
}

const accept = (runId: string) =>
  ({
    kind: 'resolve-interrupt',
    caller: CALLER,
    runId,
    target: { nodeId: 'gate' },
    resumeValue: { action: 'accept' },
    viaToken: false,
    scopes: ['*'],
  }) as const;

const BOTH = 8;

async function startRuns(host: Bench, workflowId: string): Promise<readonly string[]> {
  const runs: string[] = [];
  for (let at = 0; at < BOTH; at += 1) runs.push(await host.create(workflowId));
  return runs;
}

async function completed(url: string, ids: readonly string[]): Promise<number> {
  const sql = "SELECT run_id FROM runs WHERE status = 'completed' AND run_id = ANY($1)";
  return (await ask(url, sql, [ids])).length;
}

it('loses nothing and holds nothing while the hosts of a database are upgraded', async () => {
  const url = await newDatabase();
  await prepareDatabase(url);
  const old = await hostOf(url, 'old', 1);
  const newer = await hostOf(url, 'newer', 2);
  await old.bench.register(...WORKFLOWS);
  const runs: string[] = [];
  for (const { bench } of [old, newer])
    for (const workflowId of ['steps', 'waits']) runs.push(...(await startRuns(bench, workflowId)));
  const [ofOld, ofNewer] = [await startRuns(old.bench, 'asks'), await startRuns(newer.bench, 'asks')];
  runs.push(...ofOld, ...ofNewer);

  // The older host refuses the runs that the newer one has begun. The newer one takes those of both.
  const atOld = await Promise.all(ofNewer.map((runId) => codeOf(old.bench, accept(runId))));
  expect(atOld).toEqual(atOld.map(() => 'newer_host_needed'));
  for (const [at, runId] of ofOld.entries())
    expect(await codeOf(at % 2 === 0 ? old.bench : newer.bench, accept(runId))).toBe('ok');
  for (const runId of ofNewer) expect(await codeOf(newer.bench, accept(runId))).toBe('ok');

  // The newer host writes to a run while the older one performs its effect, whose outcome it cannot record then.
  const acts = await old.bench.create('acts');
  await expect.poll(() => old.calls.length).toBe(1);
  for (const kind of ['pause-run', 'resume-run'] as const)
    expect(await codeOf(newer.bench, on(kind, acts))).toBe('ok');
  await old.calls[0]?.finish();
  expect(await completed(url, [acts])).toBe(0);
  const begun = await old.bench.create('waits');
  await old.leave();
  await expect.poll(() => newer.calls.map(({ effect }) => effect.again)).toEqual([true]);
  await newer.calls[0]?.finish();

  runs.push(acts, begun);
  await expect.poll(() => completed(url, runs)).toBe(runs.length);
  for (const runId of runs) {
    const sequences = (await newer.bench.events(runId)).map(({ sequence }) => sequence);
    expect(sequences).toEqual(sequences.map((_, at) => at));
  }
  expect(await ask(url, 'SELECT 1 FROM troubled_trees', [])).toEqual([]);
  expect([...old.bench.fatal, ...newer.bench.fatal, ...old.bench.logged, ...newer.bench.logged]).toEqual([]);
}, 60_000);
