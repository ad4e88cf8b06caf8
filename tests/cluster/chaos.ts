import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import {
  boss,
  hand,
  inOrder,
  node,
  TERMINATE,
  workflow,
} from '../../packages/conformance/src/testkit/workflows.ts';
import { seededRandom } from '../durability/random.ts';
import { SEED } from '../proof.ts';
import { auditOfDatabase, misplacedTrees, rowsAbout } from './evidence.ts';
import { type Cluster, type ClusterHost, call } from './kit.ts';

/**
 * Random commands to random hosts, while hosts are killed and paused, their connections are cut and go silent, Postgres
 * restarts, and clocks are wrong. Afterwards every command that was acknowledged is in exactly one log, every log has a
 * state and no gap, and the audit of the database finds nothing.
 */

const HOSTS = 3;
const SKEWS_MS = ['0', '30000', '-30000'];
const PEOPLE = 6;

/** A tree whose children move all the time, without their root, while people pause and resume the root. */
const WAITS = Array.from({ length: 12 }, (_, at) => node(`wait${at}`, 'core.delay', { ms: 5 }));
const BRIEF = workflow('brief', WAITS, { edges: inOrder(WAITS) });
const LEADS = { ...boss([hand('brief'), hand('brief'), TERMINATE]), id: 'leads' };

/** What the hosts have to know beside the workflows of every cluster. */
export const CHAOS_WORKFLOWS = [BRIEF, LEADS];

interface Acknowledged {
  readonly runId: string;
  readonly tag: string;
  readonly workflowId: string;
  cancelled?: boolean;
  approved?: boolean;
}

const { next: random } = seededRandom(SEED);
const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

export async function chaos(cluster: Cluster, seconds: number): Promise<void> {
  const hosts: ClusterHost[] = [];
  const skewOf = (at: number) => ({ SKEWED_CLOCK_MS: SKEWS_MS[at % SKEWS_MS.length] ?? '0' });
  /** A host that starts while Postgres is away ends, and is started again. */
  const start = async (at: number): Promise<void> => {
    const host = await cluster.startHost(skewOf(at)).catch(() => undefined);
    if (host === undefined) await start(at);
    else hosts[at] = host;
  };
  for (let at = 0; at < HOSTS; at += 1) await start(at);
  const end = Date.now() + seconds * 1000;
  const isOver = () => Date.now() >= end;
  cluster.model.take(400);
  const runs: Acknowledged[] = [];
  let refused = 0;

  /** Sends the command to one host after the other until one of them answers, as the client does. */
  async function insist(method: string, path: string, body: unknown): ReturnType<typeof call> {
    const headers = { 'idempotency-key': randomUUID() };
    for (;;) {
      try {
        const answer = await call(pick(hosts), method, path, body, headers);
        if (answer.status < 500 && answer.status !== 429) return answer;
      } catch {
        // The host was killed, or is paused.
      }
      refused += 1;
      await pause(100);
    }
  }

  async function person(): Promise<void> {
    while (!isOver()) {
      const workflowId = pick(['waits', 'asks', 'steps', 'approves', 'leads']);
      const tag = `t-${randomUUID()}`;
      const started = await insist('POST', '/v1/runs', {
        workflowId,
        tags: [tag],
        ...(workflowId === 'asks' && { inputs: { question: tag } }),
      });
      expect(started.status).toBe(201);
      const run: Acknowledged = { runId: started.body.runId, tag, workflowId };
      runs.push(run);
      await pause(random() * 150);
      if (workflowId === 'leads') await hinder(run);
      else if (workflowId === 'approves') {
        const resumeValue = { action: 'accept' };
        const { status } = await insist('POST', `/v1/runs/${run.runId}/interrupts/approve`, { resumeValue });
        run.approved = status === 200;
      } else if (random() < 0.2) {
        const { status } = await insist('POST', `/v1/runs/${run.runId}/cancel`, { reason: 'chaos' });
        run.cancelled = status < 300;
      }
    }
  }

  async function hinder({ runId }: Acknowledged): Promise<void> {
    for (let times = 0; times < 3; times += 1) {
      await insist('POST', `/v1/runs/${runId}:pause`, { drainPolicy: 'immediate' });
      await insist('POST', `/v1/runs/${runId}:resume`, {});
    }
  }

  async function trouble(): Promise<void> {
    while (!isOver()) {
      await pause(1000 + random() * 2500);
      const at = Math.floor(random() * HOSTS);
      const host = hosts[at];
      if (host === undefined || isOver()) continue;
      const kind = pick(['kill', 'pause', 'cut', 'silence', 'stop']);
      if (kind === 'cut') host.link.cut();
      else if (kind === 'silence') host.link.silence();
      else if (kind === 'pause') {
        host.signal('SIGSTOP');
        await pause(500 + random() * 4000);
        host.signal('SIGCONT');
        await Promise.race([host.exited, pause(3000)]);
      } else {
        host.signal(kind === 'kill' ? 'SIGKILL' : 'SIGTERM');
        await host.exited;
      }
      if (!host.isRunning()) await start(at);
    }
  }

  async function database(): Promise<void> {
    while (!isOver()) {
      await pause(5000 + random() * 5000);
      if (!isOver()) await cluster.restartDatabase();
    }
  }

  /** Restate is lost now and then, sometimes with its disk. */
  async function scheduler(): Promise<void> {
    const { restate } = cluster;
    while (restate !== undefined && !isOver()) {
      await pause(3000 + random() * 4000);
      if (isOver()) return;
      await restate.kill(random() < 0.5 ? 'with its disk' : undefined);
      await pause(random() * 3000);
      await restate.start();
    }
  }

  await Promise.all([...Array.from({ length: PEOPLE }, person), trouble(), database(), scheduler()]);
  for (const [at, host] of hosts.entries()) if (!host.isRunning()) await start(at);
  const one = hosts[0] as ClusterHost;
  expect(runs.length).toBeGreaterThan(seconds);
  const verdicts = { runs: runs.length, refused };
  for (const run of runs) {
    await check(one, run).catch(async (problem: Error) => {
      const rows = await rowsAbout(cluster.database().url(), run.runId).catch(String);
      throw new Error(`${run.workflowId} ${run.runId}: ${problem.message}\n${rows}`, { cause: problem });
    });
  }
  console.log(`chaos: ${JSON.stringify(verdicts)}`);
  await checkAudit(cluster.database().url(), runs.length);
  const held = await call(one, 'GET', '/v1/host/held-runs');
  expect(held.body).toMatchObject({ total: 0 });
}

/** As `baton verify` does. The hosts that are left sign what has not been signed yet. */
async function checkAudit(url: string, atLeast: number): Promise<void> {
  await expect
    .poll(async () => (await auditOfDatabase(url)).checked, { timeout: 60_000, interval: 1000 })
    .toMatchObject({ unsigned: 0, unchained: 0 });
  const { findings, checked, newest } = await auditOfDatabase(url);
  expect(findings).toEqual([]);
  expect(await misplacedTrees(url)).toEqual([]);
  expect(checked.runs).toBeGreaterThanOrEqual(atLeast);
  expect(newest).toBeGreaterThan(0);
}

const ENDED = ['completed', 'cancelled', 'failed'];

async function check(
  host: ClusterHost,
  { runId, tag, workflowId, cancelled, approved }: Acknowledged,
): Promise<void> {
  const read = async (path: string) => (await call(host, 'GET', path)).body;
  const isDone = workflowId === 'approves' && approved !== true ? [...ENDED, 'waiting-approval'] : ENDED;
  await expect
    .poll(async () => (await read(`/v1/runs/${runId}`)).status, {
      timeout: 60_000,
      message: `${workflowId} ${runId}`,
    })
    .toSatisfy((status: string) => isDone.includes(status));
  const { status } = await read(`/v1/runs/${runId}`);
  expect(status, `${workflowId} ${runId}`).not.toBe('failed');
  // A command that was sent again with its key has made one run.
  const listed = await read(`/v1/runs?tag=${tag}`);
  expect(listed.runs.map((one: { runId: string }) => one.runId)).toEqual([runId]);
  const { events } = await read(`/v1/runs/${runId}/events?limit=1000`);
  const types = events.map(({ type }: { type: string }) => type);
  expect(events.map(({ sequence }: { sequence: number }) => sequence)).toEqual(
    events.map((_: unknown, at: number) => at),
  );
  expect(types.filter((type: string) => type === 'run.started')).toHaveLength(1);
  expect(types.filter((type: string) => type === 'baton.effect.settled').length).toBeLessThanOrEqual(1);
  expect(
    types.filter((type: string) => /^run\.(completed|cancelled|failed)$/.test(type)).length,
  ).toBeLessThanOrEqual(1);
  const state = await call(host, 'GET', `/v1/runs/${runId}/state`);
  expect(state.status, JSON.stringify(state.body)).toBe(200);
  if (cancelled === true && status !== 'completed') expect(types).toContain('run.cancelled');
  if (approved === true)
    expect(types.filter((type: string) => type === 'interrupt.resolved')).toHaveLength(1);
}
