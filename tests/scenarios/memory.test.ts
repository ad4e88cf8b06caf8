import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedHost, type TestHost } from '../http/host.ts';
import { type Bag, boss, END, line, node, to } from '../http/wire/definitions.ts';
import { type Observed, observing } from '../http/wire/observing.ts';
import { verifies } from '../verifies.ts';

/** The scenarios of the protocol about the memory of a tree and of its forks, from end to end. */

const write = (id: string, key: string, more: Bag = {}) =>
  node(id, 'vendor.baton.memory.write', { key, content: `${key} of ${id}`, ...more });
const read = (id: string) => node(id, 'vendor.baton.memory.read', { into: id });
const gate = node('gate', 'core.approvalGate', { title: 'Go on?' });

const WORKFLOWS = [
  line('first', [write('a', 'lasting'), write('b', 'brief', { ttlSeconds: 1 })]),
  line('second', [read('before'), write('c', 'lasting')]),
  line('third', [node('wait', 'core.delay', { delayMs: 1100 }), read('after')]),
  boss('desk', [to('first', 'second'), to('third'), END]),
  line('notes', [write('a', 'k'), gate, write('b', 'k'), read('seen')]),
];

let host: TestHost;
const { run, after, look, settle } = observing(() => host);
beforeAll(async () => {
  host = await sharedHost({ workflows: WORKFLOWS });
});
afterAll(() => host.stop());

const contents = ({ snapshot }: Observed, variable: string): readonly string[] =>
  snapshot.variables[variable].map((entry: Bag) => entry.content).sort();
const remembered = async (runId: string, at: number): Promise<readonly string[]> =>
  (await host.get(`/v1/runs/${runId}/state?at=${at}`)).body.memory.entries.map((entry: Bag) => entry.content);

describe('scenarios of memory', () => {
  it('memory lifecycle: a child’s entries come home, one sibling after the other, until they expire', async () => {
    verifies('SCEN-07');
    const { runId } = await run('desk');
    const [first, second, third] = [
      await look(`${runId}.1`),
      await look(`${runId}.2`),
      await look(`${runId}.3`),
    ];
    expect(contents(second, 'before')).toContain('lasting of a');
    expect(contents(third, 'after')).toEqual(['lasting of c']);
    const [, brief] = first.of('memory.written') as unknown as { timestamp: string; payload: Bag }[];
    expect(Date.parse(String(brief?.payload.expiresAt)) - Date.parse(brief!.timestamp)).toBe(1000);
  });

  it('replay-memory-snapshot: a fork reads the memory of its index, and is refused where that is gone', async () => {
    verifies('SCEN-08');
    const { runId } = await run('notes');
    const source = await after(runId, 'gate', { action: 'accept' });
    expect(contents(source, 'seen')).toEqual(['k of b']);
    const fromSeq = source.of('node.suspended')[0]!.sequence + 1;
    expect(await remembered(runId, fromSeq)).toEqual(['k of a']);
    const forked = await host.post(`/v1/runs/${runId}:fork`, { mode: 'branch', fromSeq });
    const branch = await settle(forked.body.runId);
    expect(await remembered(branch.runId, branch.events.length)).toEqual(['k of a']);
    await host.post(`/v1/runs/${branch.runId}/cancel`, {});
    await settle(branch.runId);

    for (const id of [branch.runId, runId]) {
      const erased = await host.post(`/v1/runs/${id}:erase`, { reason: 'asked to' });
      expect(erased.status, erased.text).toBe(200);
    }
    for (const mode of ['replay', 'branch']) {
      const refused = await host.post(`/v1/runs/${runId}:fork`, { mode, fromSeq });
      expect([refused.status, refused.body.error]).toEqual([422, 'replay_memory_snapshot_unavailable']);
      expect(refused.body.details).toEqual({ fromSeq, sourceRunId: runId, reason: 'event_log_unavailable' });
    }
  });
});
