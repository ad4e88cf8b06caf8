import { modelCalls } from '@baton/agents';
import { type StateAt, stateAt } from '@baton/engine';
import { describe, expect, it } from 'vitest';
import {
  inOrder,
  look,
  node,
  remember,
  rememberingWorker,
  workflow,
} from '../../packages/engine/src/testkit/workflows.ts';
import { createMockProvider } from '../../packages/server/src/models/mock.ts';
import { verifies } from '../verifies.ts';
import { after, answer, begin, fork, saw } from './rewinding.ts';
import { type Bench, CALLER, handClock, startTestEngine } from './test-engine.ts';

/** What a fork remembers: what its source remembered at the cut, and when that was. */

const line = (id: string, nodes: readonly Record<string, unknown>[]) =>
  workflow(id, nodes, { edges: inOrder(nodes) });
const gate = (id: string) => node(id, 'core.approvalGate', { title: 'Go on?' });
const HOUR = 3_600_000;

/** Remembers, is asked, remembers something else, and looks. */
const STORY = line('story', [
  remember('first', { key: 'mood', content: 'calm' }),
  gate('gate'),
  look('early'),
  remember('second', { key: 'mood', content: 'excited' }),
  look('late'),
]);

const memoryAt = async (top: Bench, runId: string, at: number): Promise<StateAt['memory']['entries']> =>
  (await stateAt(top.reads, { tenant: CALLER.tenant, runId }, at))?.memory.entries ?? [];

describe('a fork', () => {
  it.each([[{}], [{ scopeId: 'desk' }]])(
    'reads memory as it was at the cut, whatever was written since: %j',
    async (scope) => {
      verifies('MEM-09', 'READ-17', 'SCEN-08');
      const top = await startTestEngine();
      await top.register(STORY, rememberingWorker('other', { key: 'mood', content: 'somebody else’s' }));
      const source = await begin(top, 'story', scope);
      const cut = await after(top, source, 'node.suspended');
      await answer(top, source, 'gate');
      await begin(top, 'other', scope);
      const { runId } = await fork(top, source, { mode: 'branch', fromSeq: cut });
      await answer(top, runId, 'gate');
      expect(await saw(top, runId, 'early')).toEqual(['mood=calm']);
      // What it does after the cut it sees at its own index, and its source never does.
      expect(await saw(top, runId, 'late')).toEqual(['mood=excited']);
      expect(await top.status(runId)).toBe('completed');
      expect(await saw(top, source, 'late')).toEqual(['mood=excited']);
    },
  );

  it('sees nothing of what was first written after the cut', async () => {
    verifies('MEM-09');
    const top = await startTestEngine();
    await top.register(
      line('gated', [gate('gate'), look('early'), remember('note', { key: 'k', content: 'x' })]),
    );
    const source = await begin(top, 'gated');
    const cut = await after(top, source, 'node.suspended');
    await answer(top, source, 'gate');
    const { runId } = await fork(top, source, { mode: 'branch', fromSeq: cut });
    await answer(top, runId, 'gate');
    expect(await saw(top, runId, 'early')).toEqual([]);
  });

  it('writes where its source does not read, and the other way round', async () => {
    verifies('MEM-09');
    const top = await startTestEngine();
    await top.register(STORY);
    const source = await begin(top, 'story', { scopeId: 'desk' });
    const cut = await after(top, source, 'node.suspended');
    const { runId } = await fork(top, source, { mode: 'branch', fromSeq: cut });
    await answer(top, runId, 'gate');
    expect((await top.reads.scope(CALLER.tenant, 'scope:desk'))?.version).toBe(1);
    await answer(top, source, 'gate');
    expect(await saw(top, source, 'early')).toEqual(['mood=calm']);
    expect((await top.reads.scope(CALLER.tenant, 'scope:desk'))?.version).toBe(2);
    expect(await memoryAt(top, runId, (await top.events(runId)).length)).toMatchObject([
      { content: 'excited', by: { runId } },
    ]);
  });

  it('forgets only for itself', async () => {
    verifies('MEM-09');
    const top = await startTestEngine();
    await top.register(
      line('forgets', [
        remember('note', { key: 'k', content: 'x' }),
        gate('gate'),
        node('forget', 'vendor.baton.memory.forget', { key: 'k' }),
        look('gone'),
      ]),
    );
    const source = await begin(top, 'forgets');
    const { runId } = await fork(top, source, {
      mode: 'branch',
      fromSeq: await after(top, source, 'node.suspended'),
    });
    await answer(top, runId, 'gate');
    expect(await saw(top, runId, 'gone')).toEqual([]);
    expect(await memoryAt(top, source, (await top.events(source)).length)).toMatchObject([{ id: 'k' }]);
  });

  it('can be made at every index, also after a restart, and sees what the source saw there', async () => {
    verifies('MEM-10', 'READ-18', 'READ-36');
    const first = await startTestEngine();
    await first.register(STORY);
    const source = await begin(first, 'story', { scopeId: 'desk' });
    await answer(first, source, 'gate');
    await begin(first, 'story', { scopeId: 'desk' });
    const top = await first.crash();
    const { length } = await top.events(source);
    const starts = (await top.store.placedEvents(source, 0, length)).map((event) => event.starts);
    for (let fromSeq = 1; fromSeq < length; fromSeq += 1) {
      const body = { mode: 'branch', fromSeq } as const;
      const reply = await top.execute({ kind: 'fork-run', caller: CALLER, runId: source, body });
      if (!reply.ok || reply.value.kind !== 'fork') throw new Error(JSON.stringify(reply));
      const { runId, ...answered } = reply.value;
      const cut = starts.lastIndexOf(true, fromSeq);
      expect(answered).toMatchObject({ fromSeq: cut, requestedFromSeq: fromSeq });
      expect((await top.events(runId))[cut]).toMatchObject({ type: 'baton.run.branched', runId });
      expect(await memoryAt(top, runId, cut)).toEqual(await memoryAt(top, source, cut));
    }
  });

  it('just before a write contains neither the write nor anything after it', async () => {
    verifies('READ-36', 'MEM-09');
    const top = await startTestEngine();
    await top.register(STORY);
    const source = await begin(top, 'story');
    const fromSeq = (await after(top, source, 'memory.written')) - 1;
    expect(await memoryAt(top, source, fromSeq)).toEqual([]);
    const { runId } = await fork(top, source, { mode: 'branch', fromSeq });
    const own = (await top.events(runId)).findIndex((event) => event.runId === runId);
    expect(own).toBeLessThanOrEqual(fromSeq);
    expect(await memoryAt(top, runId, own)).toEqual([]);
    // It writes for itself then.
    expect(await memoryAt(top, runId, (await top.events(runId)).length)).toMatchObject([
      { id: 'mood', by: { runId } },
    ]);
  });

  it('names what its source wrote by the id that it was written with', async () => {
    verifies('REPLAY-11');
    const top = await startTestEngine();
    await top.register(line('nameless', [remember('note', { content: 'x' }), look('found')]));
    const source = await begin(top, 'nameless');
    const { runId } = await fork(top, source, { mode: 'replay' });
    const ids = async (of: string) =>
      (await top.events(of)).flatMap((event) => {
        if (event.type === 'memory.written') return [event.payload.memoryId];
        return event.type === 'node.completed' && event.nodeId === 'note'
          ? [event.payload.outputs?.memoryId]
          : [];
      });
    expect(await ids(runId)).toEqual(await ids(source));
    expect((await ids(runId))[0]).toContain(source);
    expect(await saw(top, runId, 'found')).toEqual(await saw(top, source, 'found'));
    const again = await fork(top, runId, { mode: 'replay' });
    expect(await ids(again.runId)).toEqual(await ids(source));
    expect((await top.events(again.runId)).map(({ type }) => type)).not.toContain('replay.diverged');
  });

  it('goes through a replay’s later turns with the memory of their own indices', async () => {
    verifies('READ-17');
    const top = await startTestEngine();
    await top.register(STORY);
    const source = await begin(top, 'story');
    await answer(top, source, 'gate');
    const { runId } = await fork(top, source, {
      mode: 'replay',
      fromSeq: await after(top, source, 'node.suspended'),
    });
    expect([await saw(top, runId, 'early'), await saw(top, runId, 'late')]).toEqual([
      ['mood=calm'],
      ['mood=excited'],
    ]);
    expect((await top.reads.scope(CALLER.tenant, `run:${source}`))?.version).toBe(2);
    expect(await top.reads.scope(CALLER.tenant, `run:${runId}`)).toBeUndefined();
  });
});

describe('what has a time to live', () => {
  const SHORT = line('short', [
    remember('brief', { key: 'brief', content: 'x', ttlSeconds: 60 }),
    remember('long', { key: 'long', content: 'x', ttlSeconds: 86_400 }),
    gate('one'),
    look('soon'),
    gate('two'),
    look('later'),
  ]);

  async function lived() {
    const time = handClock();
    const top = await startTestEngine({ clock: time.clock });
    await top.register(SHORT);
    const source = await begin(top, 'short');
    const one = (await top.events(source)).length;
    await time.move(2 * 60_000);
    await answer(top, source, 'one');
    expect(await saw(top, source, 'soon')).toEqual(['long=x']);
    const two = (await top.events(source)).length;
    await time.move(100 * HOUR);
    return { top, time, source, one, two };
  }

  it('is there in a fork when it was alive at the cut, though it has expired by now', async () => {
    verifies('MEM-17');
    const { top, source, one } = await lived();
    const { runId } = await fork(top, source, { mode: 'branch', fromSeq: one });
    await answer(top, runId, 'one');
    expect(await saw(top, runId, 'soon')).toEqual(['long=x', 'brief=x']);
  });

  it('has in a branch the time that it had left at the cut, and no more', async () => {
    verifies('READ-37', 'MEM-17');
    const { top, time, source, one } = await lived();
    const { runId } = await fork(top, source, { mode: 'branch', fromSeq: one });
    const created = time.clock.now();
    const left = (await memoryAt(top, runId, one)).map(({ id, expiresAt }) => [
      id,
      Date.parse(String(expiresAt)) - created,
    ]);
    expect(left).toEqual([
      ['long', 86_400_000],
      ['brief', 60_000],
    ]);
    await time.move(59_999);
    await answer(top, runId, 'one');
    expect(await saw(top, runId, 'soon')).toEqual(['long=x', 'brief=x']);
    await time.move(1);
    await answer(top, runId, 'two');
    expect(await saw(top, runId, 'later')).toEqual(['long=x']);
  });

  it('goes on expiring in a branch of a branch where it was at the second cut', async () => {
    verifies('READ-37');
    const { top, time, source, one } = await lived();
    const first = await fork(top, source, { mode: 'branch', fromSeq: one });
    await time.move(40_000);
    await answer(top, first.runId, 'one');
    const cut = (await top.events(first.runId)).length;
    await time.move(HOUR);
    const second = await fork(top, first.runId, { mode: 'branch', fromSeq: cut });
    await time.move(19_999);
    expect((await memoryAt(top, second.runId, cut)).map(({ id }) => id)).toEqual(['long', 'brief']);
    const third = await fork(top, first.runId, { mode: 'branch', fromSeq: cut });
    await time.move(20_000);
    await answer(top, second.runId, 'two');
    await answer(top, third.runId, 'two');
    expect(await saw(top, second.runId, 'later')).toEqual(['long=x']);
    expect(await saw(top, third.runId, 'later')).toEqual(['long=x']);
  });

  it('comes home from a child of a branch with the time that it has left', async () => {
    verifies('READ-37');
    const time = handClock();
    const top = await startTestEngine({ clock: time.clock });
    await top.register(
      line('noting', [remember('note', { key: 'brief', content: 'x', ttlSeconds: 60 }), gate('ask')]),
      line('calls', [
        node('call', 'core.subWorkflow', { workflowId: 'noting' }),
        look('found'),
        gate('end'),
        look('later'),
      ]),
    );
    const source = await begin(top, 'calls');
    await time.move(HOUR);
    const { runId } = await fork(top, source, { mode: 'branch', fromSeq: (await top.events(source)).length });
    await time.move(30_000);
    await answer(top, `${runId}.1`, 'ask');
    expect(await saw(top, runId, 'found')).toEqual(['brief=x']);
    await time.move(30_000);
    await answer(top, runId, 'end');
    expect(await saw(top, runId, 'later')).toEqual([]);
  });

  it('is not there when it had expired by the cut', async () => {
    verifies('MEM-17');
    const { top, source, two } = await lived();
    const { runId } = await fork(top, source, { mode: 'branch', fromSeq: two });
    await answer(top, runId, 'two');
    expect(await saw(top, runId, 'later')).toEqual(['long=x']);
    expect(await memoryAt(top, runId, two)).toMatchObject([{ id: 'long' }]);
  });

  it('counts from now for what the fork itself remembers', async () => {
    verifies('MEM-17');
    const time = handClock();
    const top = await startTestEngine({ clock: time.clock });
    await top.register(
      line('own', [
        gate('one'),
        remember('brief', { key: 'k', content: 'x', ttlSeconds: 60 }),
        gate('two'),
        look('found'),
      ]),
    );
    const source = await begin(top, 'own');
    await time.move(HOUR);
    const { runId } = await fork(top, source, { mode: 'branch', fromSeq: (await top.events(source)).length });
    await answer(top, runId, 'one');
    await time.move(2 * 60_000);
    await answer(top, runId, 'two');
    expect(await saw(top, runId, 'found')).toEqual([]);
  });

  it('keeps the last write before the cut, also where that one has expired', async () => {
    verifies('MEM-17');
    const time = handClock();
    const top = await startTestEngine({ clock: time.clock });
    await top.register(
      line('twice', [
        remember('lasting', { key: 'k', content: 'old' }),
        remember('brief', { key: 'k', content: 'new', ttlSeconds: 60 }),
        gate('one'),
        look('found'),
      ]),
    );
    const source = await begin(top, 'twice');
    const { runId: early } = await fork(top, source, {
      mode: 'branch',
      fromSeq: (await top.events(source)).length,
    });
    await answer(top, early, 'one');
    expect(await saw(top, early, 'found')).toEqual(['k=new']);
    const before = await fork(top, source, {
      mode: 'branch',
      fromSeq: await after(top, source, 'node.completed', 'lasting'),
    });
    expect(
      await memoryAt(top, before.runId, await after(top, source, 'node.completed', 'lasting')),
    ).toMatchObject([{ content: 'old' }]);
    await time.move(HOUR);
    await answer(top, source, 'one');
    expect(await saw(top, source, 'found')).toEqual([]);
  });

  it('is judged in a fork of a fork as it was at the first cut', async () => {
    verifies('MEM-17');
    const { top, time, source, one } = await lived();
    const first = await fork(top, source, { mode: 'branch', fromSeq: one });
    const cut = (await top.events(first.runId)).length;
    await time.move(HOUR);
    const second = await fork(top, first.runId, { mode: 'branch', fromSeq: cut });
    await answer(top, second.runId, 'one');
    expect(await saw(top, second.runId, 'soon')).toEqual(['long=x', 'brief=x']);
  });

  it('is judged in a replay when its source judged it', async () => {
    verifies('MEM-17', 'REPLAY-08');
    const { top, time, source } = await lived();
    await answer(top, source, 'two');
    expect(await saw(top, source, 'later')).toEqual([]);
    await time.move(HOUR);
    const { runId } = await fork(top, source, { mode: 'replay', fromSeq: 0 });
    expect([await saw(top, runId, 'soon'), await saw(top, runId, 'later')]).toEqual([['long=x'], []]);
  });

  it('is there in a replay that went its own way while it was alive', async () => {
    verifies('MEM-17');
    const time = handClock();
    const mock = createMockProvider();
    const top = await startTestEngine({ clock: time.clock, perform: modelCalls({ provider: () => mock }) });
    const messages = { type: 'static', value: [{ role: 'user', content: 'Is it so?' }] };
    const config = { provider: 'mock', model: 'mock-mini', outputSchema: { type: 'object' } };
    await top.register(
      line('asks', [
        remember('brief', { key: 'brief', content: 'x', ttlSeconds: 60 }),
        node('call', 'core.ai.structuredOutput', config, { inputs: { messages } }),
        look('found'),
      ]),
    );
    mock.program(CALLER.tenant, 'call', [{ content: '{"so":true}' }]);
    const source = await begin(top, 'asks');
    expect(await top.status(source)).toBe('completed');
    await time.move(HOUR);
    mock.program(CALLER.tenant, 'call', [{ content: '{"so":false}' }]);
    const { runId } = await fork(top, source, { mode: 'replay' });
    expect(await top.types(runId)).toContain('replay.diverged');
    expect(await saw(top, runId, 'found')).toEqual(['brief=x']);
  });
});
