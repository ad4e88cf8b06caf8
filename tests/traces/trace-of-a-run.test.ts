import { traceOfRun, traceparentOfCall } from '@baton/protocol';
import { expect, it } from 'vitest';
import { after, answer, child, effect, fork, gate, line, quiet, replay } from '../driver/forking.ts';
import { type Bench, CALLER, startTestEngine } from '../driver/test-engine.ts';

/** The trace that the effects of a run belong to, with its children and its forks. */

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const TRACEPARENT = `00-${TRACE}-b7ad6b7169203331-01`;
const below = line('below', [effect('call')]);
const above = line('above', [gate('gate'), effect('call'), child('child', 'below')]);

async function startAbove(host: Bench, traceparent?: string): Promise<string> {
  const body = { workflowId: 'above' };
  const reply = await host.execute({ kind: 'create-run', caller: CALLER, body, traceparent });
  if (!reply.ok || reply.value.kind !== 'run') throw new Error(JSON.stringify(reply));
  await quiet();
  return reply.value.runId;
}

async function began(traceparent?: string) {
  const host = await startTestEngine();
  await host.register(below, above);
  const runId = await startAbove(host, traceparent);
  /** The trace ids of the effects that were performed since the last look. */
  const sent = () => host.performed.splice(0).map((one) => traceparentOfCall(one).slice(3, 35));
  const given = async (id: string) =>
    ((await host.events(id))[0]?.payload as { traceparent?: string } | undefined)?.traceparent;
  return { host, runId, sent, given };
}

it('XHOST-17 is that of the caller, also for children', async () => {
  const { host, runId, sent, given } = await began(TRACEPARENT);
  await answer(host, runId, 'gate');
  expect(sent()).toEqual([TRACE, TRACE]);
  expect([await given(runId), await given(`${runId}.1`)]).toEqual([TRACEPARENT, TRACEPARENT]);
});

it('follows from the root where the caller has none, and is not recorded', async () => {
  const { host, runId, sent, given } = await began();
  await answer(host, runId, 'gate');
  const { traceId } = traceOfRun(runId);
  expect(sent()).toEqual([traceId, traceId]);
  expect([await given(runId), await given(`${runId}.1`)]).toEqual([undefined, undefined]);
});

it('stays the same after a crash, with the same span for each effect', async () => {
  const { host, runId } = await began(TRACEPARENT);
  const crashed = await host.crash({ perform: () => new Promise(() => undefined) });
  await answer(crashed, runId, 'gate');
  const again = await crashed.crash({ perform: async () => ({ kind: 'done', outputs: {} }) });
  expect(crashed.performed.map(traceparentOfCall)).toEqual(
    again.performed.slice(0, 1).map(traceparentOfCall),
  );
  expect(again.performed).toHaveLength(2);
});

it('of a branch is a new one, also for its children, from any index', async () => {
  const { host, runId, sent, given } = await began(TRACEPARENT);
  for (const fromSeq of [0, await after(host, runId, 'interrupt.requested')]) {
    const branch = await fork(host, runId, { mode: 'branch', fromSeq });
    await answer(host, branch, 'gate');
    const { traceId } = traceOfRun(branch);
    expect(sent()).toEqual([traceId, traceId]);
    expect(await given(`${branch}.1`)).toBeUndefined();
    if (fromSeq === 0) expect(await given(branch)).toBeUndefined();
  }
});

it('of the source is repeated by a replay, which sends nothing', async () => {
  const { host, runId, sent, given } = await began(TRACEPARENT);
  await answer(host, runId, 'gate');
  sent();
  const again = await replay(host, runId);
  expect(await host.types(again)).not.toContain('replay.diverged');
  expect(await given(`${again}.1`)).toBe(TRACEPARENT);
  expect(sent()).toEqual([]);
});
