import type { Json, RunEvent } from '@baton/protocol';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  boss,
  edge,
  hand,
  node,
  TERMINATE,
  waitingWorker,
  worker,
  workflow,
} from '../../packages/engine/src/testkit/workflows.ts';
import { verifies } from '../verifies.ts';
import { type Bench, CALLER, handClock, settled, startTestEngine } from './test-engine.ts';

/** Runs made out of other runs' pasts. */

async function fork(top: Bench, runId: string, body: Record<string, unknown>) {
  const reply = await top.execute({ kind: 'fork-run', caller: CALLER, runId, body: body as never });
  await settled();
  if (!reply.ok) return { refused: reply.error, runId: '' };
  if (reply.value.kind !== 'fork') throw new Error(reply.value.kind);
  return { refused: undefined, runId: reply.value.runId };
}

async function answer(top: Bench, runId: string, nodeId: string, resumeValue: Json) {
  const reply = await top.execute({
    kind: 'resolve-interrupt',
    caller: CALLER,
    runId,
    target: { nodeId },
    resumeValue,
    viaToken: false,
    scopes: [],
  });
  expect(reply).toMatchObject({ ok: true });
  await settled();
}

/** Events under the source's names, so that they can be compared. */
async function named(top: Bench, fork: string, source: string): Promise<readonly RunEvent[]> {
  return JSON.parse(JSON.stringify(await top.events(fork)).replaceAll(fork, source));
}

const seqOf = async (top: Bench, runId: string, type: string, nodeId?: string) =>
  (await top.events(runId)).find(
    (event) => event.type === type && (nodeId === undefined || event.nodeId === nodeId),
  )?.sequence ?? -1;

const EFFECTS = workflow(
  'effects',
  [
    node('first', 'core.conformance.side-effect'),
    node('gate', 'core.approvalGate', { title: 'Go on?' }),
    node('second', 'core.conformance.side-effect'),
  ],
  { edges: [edge('first', 'gate'), edge('gate', 'second')] },
);

describe('a replay', () => {
  it('keeps the prefix with its sequence numbers, and goes on from fromSeq', async () => {
    verifies('REPLAY-12');
    const top = await startTestEngine();
    await top.register(EFFECTS);
    const source = await top.create('effects');
    await answer(top, source, 'gate', { action: 'accept' });
    const cut = (await seqOf(top, source, 'node.completed', 'first')) + 1;
    const { runId } = await fork(top, source, { mode: 'replay', fromSeq: cut });
    expect((await top.events(runId)).slice(0, cut)).toEqual((await top.events(source)).slice(0, cut));
    expect((await top.events(runId)).map(({ sequence }) => sequence)).toEqual(
      (await top.events(source)).map(({ sequence }) => sequence),
    );
  });

  it('gives the same events and the same snapshot, twice, from any index', async () => {
    verifies('REPLAY-08');
    const top = await startTestEngine();
    await top.register(EFFECTS);
    const source = await top.create('effects');
    await answer(top, source, 'gate', { action: 'accept' });
    const original = await top.events(source);
    for (let fromSeq = 0; fromSeq <= original.length; fromSeq += 1) {
      const first = await fork(top, source, { mode: 'replay', fromSeq });
      const second = await fork(top, source, { mode: 'replay', fromSeq });
      expect(await named(top, first.runId, source)).toEqual(original);
      expect(await named(top, second.runId, source)).toEqual(original);
      expect(await top.status(first.runId)).toBe('completed');
    }
  });

  it('serves the recorded result of a tool that answers differently each time', async () => {
    verifies('REPLAY-09');
    let calls = 0;
    const top = await startTestEngine({
      perform: async () => ({ kind: 'done', outputs: { random: ++calls } }),
    });
    await top.register(workflow('tool', [node('call', 'core.conformance.side-effect')]));
    const source = await top.create('tool');
    const { runId } = await fork(top, source, { mode: 'replay' });
    expect(calls).toBe(1);
    expect(await named(top, runId, source)).toEqual(await top.events(source));
  });

  it('takes ids and timestamps from the log, and never makes new ones', async () => {
    verifies('REPLAY-11');
    const clock = handClock();
    const top = await startTestEngine({ clock: clock.clock });
    await top.register(
      workflow('slow', [node('wait', 'core.delay', { ms: 5000 }), node('end', 'core.noop')], {
        edges: [edge('wait', 'end')],
      }),
    );
    const source = await top.create('slow');
    await clock.move(5000);
    await clock.move(86_400_000);
    const { runId } = await fork(top, source, { mode: 'replay' });
    expect((await top.events(runId)).map(({ timestamp }) => timestamp)).toEqual(
      (await top.events(source)).map(({ timestamp }) => timestamp),
    );
    expect(await top.status(runId)).toBe('completed');
  });

  it('fails closed where the source has no outcome, and performs nothing', async () => {
    verifies('REPLAY-14');
    const clock = handClock();
    const top = await startTestEngine({ clock: clock.clock });
    await top.register(
      workflow(
        'held',
        [node('hold', 'core.delay', { ms: 5000 }), node('effect', 'core.conformance.side-effect')],
        {
          edges: [edge('hold', 'effect')],
        },
      ),
    );
    const source = await top.create('held');
    await top.execute({ kind: 'cancel-run', caller: CALLER, runId: source });
    const { runId } = await fork(top, source, { mode: 'replay' });
    await clock.move(5000);
    expect(top.performed).toEqual([]);
    expect(await top.status(runId)).toBe('failed');
    const failed = (await top.events(runId)).find(({ type }) => type === 'node.failed');
    expect(failed).toMatchObject({ nodeId: 'effect', payload: { error: { code: 'replay_source_missing' } } });
    expect(await top.types(runId)).not.toContain('replay.diverged');
  });

  it('walks the chain of a handoff: every cause is in the fork, under its own name', async () => {
    verifies('REPLAY-10');
    const top = await startTestEngine();
    await top.register(
      boss([hand('good', 'asks'), TERMINATE], { outputMapping: { outcome: 'result' } }),
      worker('good', { result: 'fine' }),
      waitingWorker('asks', { result: 'asked' }),
    );
    const source = await top.create('boss');
    const child = (await top.reads.runs({ tenant: CALLER.tenant, parentRunId: source, limit: 10 })).items.at(
      0,
    );
    await answer(top, child?.runId ?? '', 'gate', { action: 'accept' });
    expect(await top.status(source)).toBe('completed');
    const { runId } = await fork(top, source, { mode: 'replay' });
    expect(await named(top, runId, source)).toEqual(await top.events(source));
    expect(JSON.parse(JSON.stringify(await top.events(`${runId}.2`)).replaceAll(runId, source))).toEqual(
      await top.events(`${source}.2`),
    );
    const ids = new Set((await top.events(runId)).map(({ eventId }) => eventId));
    for (const event of await top.events(runId))
      if (event.causationId) expect(ids).toContain(event.causationId);
  });

  it('runs the definitions that its source ran, whatever is registered by now', async () => {
    const top = await startTestEngine();
    const parent = workflow('parent', [
      node('call', 'core.subWorkflow', { workflowId: 'child', outputMapping: { got: 'result' } }),
    ]);
    await top.register(parent, worker('child', { result: 'old' }));
    const source = await top.create('parent');
    await top.register(worker('child', { result: 'new' }));
    const { runId } = await fork(top, source, { mode: 'replay' });
    expect(await named(top, runId, source)).toEqual(await top.events(source));
  });

  it('follows what its source had done when it was forked, and nothing later, also after a crash', async () => {
    verifies('REPLAY-12');
    const first = await startTestEngine();
    const nodes = ['one', 'two'].map((id) => node(id, 'core.approvalGate', { title: 'Go on?' }));
    await first.register(workflow('twice', nodes, { edges: [edge('one', 'two')] }));
    const source = await first.create('twice');
    const waiting = await fork(first, source, { mode: 'replay' });
    const onItsOwn = await fork(first, source, { mode: 'replay' });
    await answer(first, onItsOwn.runId, 'one', { action: 'accept' });
    await answer(first, source, 'one', { action: 'accept' });
    await answer(first, source, 'two', { action: 'accept' });
    const top = await first.crash();
    for (const { runId } of [waiting, onItsOwn]) {
      const before = await top.types(runId);
      const variables = { touched: true };
      expect(await top.execute({ kind: 'set-variables', caller: CALLER, runId, variables })).toMatchObject({
        ok: true,
      });
      await settled();
      expect(await top.types(runId)).toEqual([...before, 'variable.changed']);
      expect(await top.status(runId)).toBe('waiting-approval');
    }
  });

  it('goes on after a crash where it was', async () => {
    const clock = handClock();
    const top = await startTestEngine({ clock: clock.clock });
    await top.register(EFFECTS);
    const source = await top.create('effects');
    const { runId } = await fork(top, source, { mode: 'replay' });
    expect(await top.status(runId)).toBe('waiting-approval');
    const again = await top.crash({ clock: clock.clock });
    await answer(again, runId, 'gate', { action: 'accept' });
    expect(await again.status(runId)).toBe('failed');
    expect(again.performed).toEqual([]);
    expect((await again.events(runId)).at(-1)).toMatchObject({
      type: 'run.failed',
      payload: { error: { code: 'replay_source_missing' } },
    });
  });
});

describe('a branch', () => {
  it('goes on for real: another answer, effects anew, the source untouched', async () => {
    const top = await startTestEngine();
    await top.register(EFFECTS);
    const source = await top.create('effects');
    await answer(top, source, 'gate', { action: 'accept' });
    const before = await top.events(source);
    const cut = (await seqOf(top, source, 'node.suspended', 'gate')) + 1;
    const { runId } = await fork(top, source, { mode: 'branch', fromSeq: cut });
    expect(await top.status(runId)).toBe('waiting-approval');
    expect(top.performed).toHaveLength(2);
    await answer(top, runId, 'gate', { action: 'accept' });
    expect(await top.status(runId)).toBe('completed');
    expect(top.performed.at(-1)?.key).toBe(`${runId}/second/1/1/1`);
    expect(await top.events(source)).toEqual(before);
  });

  it('takes what its caller changes, and says so first', async () => {
    const top = await startTestEngine();
    await top.register(
      workflow('say', [node('gate', 'core.approvalGate', { title: 'Go on?' })], {
        variables: [{ name: 'word', type: 'string', defaultValue: 'old' }],
      }),
    );
    const source = await top.create('say');
    const fromSeq = (await top.events(source)).length;
    const overlay = { variables: { word: 'new' }, tags: ['what-if'] };
    const { runId } = await fork(top, source, { mode: 'branch', fromSeq, runOptionsOverlay: overlay });
    expect((await top.events(runId))[fromSeq]).toMatchObject({
      type: 'baton.run.branched',
      payload: overlay,
    });
  });

  it('gives back the time that a question had left', async () => {
    const clock = handClock();
    const top = await startTestEngine({ clock: clock.clock });
    const data = { eventType: 'paid', correlation: {} };
    await top.register(
      workflow('asks', [node('wait', 'core.interrupt', { kind: 'external-event', data, timeoutMs: 60_000 })]),
    );
    const source = await top.create('asks');
    await clock.move(120_000);
    expect(await top.status(source)).toBe('failed');
    const fromSeq = (await seqOf(top, source, 'node.suspended')) + 1;
    const { runId } = await fork(top, source, { mode: 'branch', fromSeq });
    expect(await top.status(runId)).toBe('waiting-external');
    await clock.move(59_000);
    expect(await top.status(runId)).toBe('waiting-external');
    await clock.move(2000);
    expect(await top.status(runId)).toBe('failed');
  });

  it('forks the children that were under way, and never writes into the originals', async () => {
    verifies('READ-31');
    const top = await startTestEngine();
    await top.register(
      boss([hand('asks'), TERMINATE], { outputMapping: { outcome: 'result' } }),
      waitingWorker('asks', { result: 'asked' }),
    );
    const source = await top.create('boss');
    const cut = (await top.events(source)).length;
    const { runId } = await fork(top, source, { mode: 'branch', fromSeq: cut });
    const childBefore = await top.events(`${source}.1`);
    await answer(top, `${runId}.1`, 'gate', { action: 'accept' });
    expect(await top.status(runId)).toBe('completed');
    expect(await top.status(source)).toBe('waiting-approval');
    expect(await top.events(`${source}.1`)).toEqual(childBefore);
    // The prefix is the source's, word for word; what the fork adds names its own child.
    expect((await top.events(runId)).slice(0, cut)).toEqual((await top.events(source)).slice(0, cut));
    const own = JSON.stringify((await top.events(runId)).slice(cut + 1));
    expect(own).toContain(`${runId}.1`);
    await answer(top, `${source}.1`, 'gate', { action: 'accept' });
    expect(await top.status(source)).toBe('completed');
  });

  it('acts in the name of whoever branched off, and may do no more than they', async () => {
    const top = await startTestEngine();
    const nodes = [
      node('gate', 'core.approvalGate', { title: 'Go on?' }),
      node('file', 'vendor.baton.workspace.write', { path: 'a.md', content: 'x' }),
    ];
    await top.register(workflow('files', nodes, { edges: [edge('gate', 'file')] }));
    const scopes = ['runs:create', 'workspace:write'];
    const made = await top.execute({
      kind: 'create-run',
      caller: CALLER,
      body: { workflowId: 'files' },
      scopes,
    });
    if (!made.ok || made.value.kind !== 'run') throw new Error(JSON.stringify(made));
    await settled();
    const source = made.value.runId;
    const ben = { ...CALLER, principal: 'ben' };
    const body = { mode: 'branch', fromSeq: (await top.events(source)).length } as const;
    const command = { kind: 'fork-run', caller: ben, runId: source, body, scopes: ['runs:create'] } as const;
    const reply = await top.execute(command);
    if (!reply.ok || reply.value.kind !== 'fork') throw new Error(JSON.stringify(reply));
    await settled();
    const { runId } = reply.value;
    expect((await top.reads.run(CALLER.tenant, runId))?.principal).toBe('ben');
    await answer(top, runId, 'gate', { action: 'accept' });
    expect(await top.status(runId)).toBe('failed');
    expect((await top.events(runId)).at(-1)).toMatchObject({ payload: { error: { code: 'forbidden' } } });
  });

  it('shares the children that had settled before the cut', async () => {
    const top = await startTestEngine();
    await top.register(
      boss([hand('good'), { kind: 'ask-user', prompt: 'Go on?' }, hand('good'), TERMINATE], {
        outputMapping: { outcome: 'result' },
      }),
      worker('good', { result: 'fine' }),
    );
    const source = await top.create('boss');
    const { runId } = await fork(top, source, { mode: 'branch', fromSeq: (await top.events(source)).length });
    await answer(top, runId, 'dispatch', { answers: { answer: 'yes' } });
    expect(await top.status(runId)).toBe('completed');
    const children = (await top.reads.runs({ tenant: CALLER.tenant, parentRunId: runId, limit: 10 })).items;
    expect(children.map((child) => child.runId)).toEqual([`${runId}.2`]);
  });

  it('can be forked again, inside what it inherited and behind it', async () => {
    const top = await startTestEngine();
    await top.register(EFFECTS);
    const source = await top.create('effects');
    const cut = (await top.events(source)).length;
    const first = await fork(top, source, { mode: 'branch', fromSeq: cut });
    await answer(top, first.runId, 'gate', { action: 'accept' });
    const asked = (await top.events(source)).findIndex((event) => event.nodeId === 'gate');
    const inside = await fork(top, first.runId, { mode: 'branch', fromSeq: asked });
    expect((await top.events(inside.runId)).slice(0, asked)).toEqual(
      (await top.events(source)).slice(0, asked),
    );
    const end = (await top.events(first.runId)).length;
    const behind = await fork(top, first.runId, { mode: 'replay', fromSeq: end - 1 });
    expect((await top.events(behind.runId)).slice(0, end - 1)).toEqual(
      (await top.events(first.runId)).slice(0, end - 1),
    );
    expect(await top.status(behind.runId)).toBe('completed');
    const again = await top.crash();
    expect(await again.events(behind.runId)).toHaveLength(end);
  });
});

describe('a fork is refused', () => {
  beforeEach(() => verifies('REPLAY-13'));
  const cases: readonly [string, Record<string, unknown>, string][] = [
    ['before the beginning', { mode: 'replay', fromSeq: -1 }, 'validation_error'],
    ['past the end', { mode: 'replay', fromSeq: 99_999 }, 'fork_point_not_found'],
    ['as a replay with changes', { mode: 'replay', runOptionsOverlay: { tags: ['x'] } }, 'validation_error'],
    ['as a branch from nowhere', { mode: 'branch' }, 'validation_error'],
    ['in a mode that there is not', { mode: 'rewind' }, 'validation_error'],
    [
      'as a branch with recorded models',
      { mode: 'branch', fromSeq: 1, models: 'recorded' },
      'validation_error',
    ],
  ];
  it.each(cases)('%s', async (_name, body, code) => {
    const top = await startTestEngine();
    await top.register(EFFECTS);
    const source = await top.create('effects');
    expect((await fork(top, source, body)).refused).toMatchObject({ error: code });
  });

  it('for a run that is not there, or is somebody else’s', async () => {
    const top = await startTestEngine();
    await top.register(EFFECTS);
    const source = await top.create('effects');
    expect((await fork(top, 'nobody', { mode: 'replay' })).refused).toMatchObject({ error: 'not_found' });
    const stranger = { tenant: 'other', principal: 'eve' };
    const reply = await top.execute({
      kind: 'fork-run',
      caller: stranger,
      runId: source,
      body: { mode: 'replay' },
    });
    expect(reply).toMatchObject({ ok: false, error: { error: 'not_found' } });
  });
});

describe('a retry', () => {
  it('tries the failed node again, and keeps what was done before', async () => {
    let broken = true;
    const top = await startTestEngine({
      perform: async ({ nodeId, key }) =>
        nodeId === 'second' && broken
          ? { kind: 'failed', error: { code: 'outside_broke', message: 'as told' } }
          : { kind: 'done', outputs: { key } },
    });
    await top.register(EFFECTS);
    const source = await top.create('effects');
    await answer(top, source, 'gate', { action: 'accept' });
    expect(await top.status(source)).toBe('failed');
    broken = false;
    const reply = await top.execute({ kind: 'retry-run', caller: CALLER, runId: source, body: {} });
    await settled();
    if (!reply.ok || reply.value.kind !== 'fork') throw new Error(JSON.stringify(reply));
    expect(await top.status(reply.value.runId)).toBe('completed');
    expect(await top.status(source)).toBe('failed');
    expect(top.performed.map(({ nodeId }) => nodeId)).toEqual(['first', 'second', 'second']);
  });

  it('is refused for a run that did not fail, or not at a node', async () => {
    const top = await startTestEngine();
    await top.register(EFFECTS);
    const source = await top.create('effects');
    const reply = await top.execute({ kind: 'retry-run', caller: CALLER, runId: source, body: {} });
    expect(reply).toMatchObject({ ok: false, error: { error: 'run_state_conflict' } });
  });
});
