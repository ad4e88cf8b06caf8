import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunEvent } from '@baton/protocol';
import { afterAll, describe, expect, it } from 'vitest';
import {
  boss,
  declare,
  edge,
  hand,
  node,
  TERMINATE,
  workflow,
} from '../../packages/conformance/src/testkit/workflows.ts';
import { inProof } from '../proof.ts';
import { checkLogs } from '../reference/check-logs.ts';
import { call, type HostProcess, startProcess } from './host-process.ts';

/** A real process, killed without warning while it works, over and over. */

/** One shows that a host continues. The simulator finds what goes wrong at rare moments, so a few are enough for the proof. */
const KILLS = inProof ? 5 : 1;
const RUNS_PER_LIFE = 6;

const folder = mkdtempSync(join(tmpdir(), 'baton-crash-'));
const data = join(folder, 'data');
const workflows = join(folder, 'workflows');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Workers that take long enough to be caught in the middle: a wait, an effect, a chain of steps. */
const definitions = [
  boss([hand('waits', 'acts'), hand('steps'), hand('waits'), TERMINATE], {
    outputMapping: { result: 'out' },
  }),
  workflow('waits', [node('wait', 'core.delay', { ms: 40 })], { variables: declare({ out: 'waited' }) }),
  workflow('acts', [node('act', 'core.conformance.side-effect')], { variables: declare({ out: 'acted' }) }),
  workflow(
    'steps',
    Array.from({ length: 20 }, (_, index) => node(`n${index}`, 'core.noop')),
    {
      edges: Array.from({ length: 19 }, (_, index) => edge(`n${index}`, `n${index + 1}`)),
      variables: declare({ out: 'stepped' }),
    },
  ),
  { ...boss(Array.from({ length: 150 }, () => hand('steps'))), id: 'long' },
];

mkdirSync(workflows);
for (const definition of definitions) {
  writeFileSync(join(workflows, `${(definition as { id: string }).id}.json`), JSON.stringify(definition));
}

/** Repeatable choices, so that a failure can be looked at again. */
function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state % sides;
  };
}

interface Acknowledged {
  readonly runId: string;
  /** Events that a caller has seen; they must be there for ever, as they were. */
  seen: readonly string[];
}

async function eventsOf(host: HostProcess, runId: string): Promise<readonly RunEvent[]> {
  const response = await call(host.url, 'GET', `/v1/runs/${runId}/events`);
  expect(response.status, `events of ${runId}`).toBe(200);
  return ((await response.json()) as { events: RunEvent[] }).events;
}

/** Works until the host is killed under it; whatever was answered before counts. */
async function live(
  host: HostProcess,
  runs: Acknowledged[],
  roll: (sides: number) => number,
  acknowledged: () => void,
): Promise<void> {
  const creations = Array.from({ length: RUNS_PER_LIFE }, async () => {
    const workflowId = roll(6) === 0 ? 'long' : 'boss';
    const response = await call(host.url, 'POST', '/v1/runs', { workflowId });
    if (response.status !== 201) return;
    runs.push({ runId: ((await response.json()) as { runId: string }).runId, seen: [] });
    acknowledged();
  });
  const looks = runs.slice(-4).map(async (run) => {
    const events = await eventsOf(host, run.runId);
    run.seen = events.map((event) => JSON.stringify(event));
  });
  await Promise.allSettled([...creations, ...looks]);
}

async function finished(host: HostProcess, runId: string): Promise<void> {
  const stream = await fetch(`${host.url}/v1/runs/${runId}/events`, {
    headers: { authorization: 'Bearer a-key-for-the-crash-tests', accept: 'text/event-stream' },
  });
  // The server closes the stream after the terminal event.
  for await (const _chunk of stream.body ?? []);
}

async function check(host: HostProcess, { runId, seen }: Acknowledged): Promise<void> {
  const events = await eventsOf(host, runId);
  expect(events.map((event) => event.sequence)).toEqual(events.map((_, index) => index));
  expect(events.slice(0, seen.length).map((event) => JSON.stringify(event))).toEqual(seen);
  expect(events.at(-1)?.type).toBe('run.completed');
  const children = events.flatMap((event) =>
    event.type === 'node.dispatched' ? [event.payload.childRunId] : [],
  );
  expect(new Set(children).size, 'a child was started twice').toBe(children.length);
  const iterations = events.flatMap((e) =>
    e.type === 'runOrchestrator.decided' ? [e.payload.iteration] : [],
  );
  expect(iterations).toEqual(iterations.map((_, index) => index + 1));
  for (const childRunId of children.slice(0, 6)) {
    const log = await eventsOf(host, childRunId);
    expect(log.map((event) => event.sequence)).toEqual(log.map((_, index) => index));
    expect(log.filter((event) => event.type === 'run.completed')).toHaveLength(1);
    const done = log.flatMap((event) => (event.type === 'node.completed' ? [event.nodeId] : []));
    expect(new Set(done).size, 'a node was done twice').toBe(done.length);
  }
}

describe('a host that is killed while it works', () => {
  it('loses nothing and does nothing twice', { timeout: 900_000 }, async () => {
    const roll = dice(20261115);
    const runs: Acknowledged[] = [];
    const lives: Promise<void>[] = [];
    for (let life = 0; life < KILLS; life += 1) {
      const host = await startProcess(data, workflows);
      let left = 1 + roll(RUNS_PER_LIFE);
      await new Promise<void>((resolve) => {
        const work = live(host, runs, roll, () => {
          left -= 1;
          if (left === 0) resolve();
        });
        lives.push(work.then(resolve));
      });
      // A real process has no clock to inject: the moment within its work is so many turns of this process away.
      for (let turns = roll(2000); turns > 0; turns -= 1)
        await new Promise((resolve) => setImmediate(resolve));
      await host.kill('SIGKILL');
      await Promise.all(lives);
    }
    const host = await startProcess(data, workflows);
    expect(runs.length).toBeGreaterThanOrEqual(KILLS);
    // However often the host is killed, no run is blamed that gets on in between.
    expect(await (await call(host.url, 'GET', '/v1/host/held-runs')).json()).toMatchObject({ total: 0 });
    for (const run of runs) await finished(host, run.runId);
    for (const run of runs) await check(host, run);
    expect(await host.kill('SIGTERM')).toBe(0);
    checkLogs(data);
  });
});
