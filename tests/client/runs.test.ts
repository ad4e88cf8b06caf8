import { type Baton, BatonError, connect, type Run } from '@baton/client';
import type { RunEvent } from '@baton/protocol';
import { afterAll, describe, expect, it } from 'vitest';
import { sharedHost } from '../http/host.ts';

/** The client against a real host. */
const host = await sharedHost();
afterAll(() => host.stop());
const baton: Baton = connect({ url: host.url, key: host.key });

async function eventsOf(run: Run, from = 0): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of run.events({ from })) events.push(event);
  return events;
}

/** Follows the run until it asks something. */
async function untilAsked(run: Run): Promise<void> {
  for await (const event of run.events()) if (event.type === 'interrupt.requested') return;
}

const refused = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: BatonError) => error,
  );

describe('a run', () => {
  it('is started, followed and read', async () => {
    const run = await baton.runs.start('echo', { payload: { word: 'tide' } }, { tags: ['a-tag'] });
    const events = await eventsOf(run);
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index));
    expect(events.at(0)?.type).toBe('run.started');
    expect(events.at(-1)?.type).toBe('run.completed');
    expect(await run.log()).toEqual(events);
    expect(await run.log({ from: 2 })).toEqual(events.slice(2));
    expect(await eventsOf(run, 2)).toEqual(events.slice(2));
    expect(await eventsOf(run, events.length)).toEqual([]);
    const snapshot = await run.snapshot();
    expect(snapshot).toMatchObject({ runId: run.id, status: 'completed', tags: ['a-tag'] });
    expect(await run.result()).toEqual(snapshot);
    expect(await run.stateAt(1)).toMatchObject({ at: 1, variables: { payload: { word: 'tide' } } });
    expect(await run.state()).toMatchObject({ at: events.length, status: 'completed' });
  });

  it('is waited for while it works', async () => {
    const run = await baton.runs.start('short-wait');
    expect(await run.result()).toMatchObject({ status: 'completed' });
  });

  it('shows its states one after the other', async () => {
    const run = await baton.runs.start('short-wait');
    const statuses: string[] = [];
    for await (const { status } of run.values()) statuses.push(status);
    expect(statuses.at(-1)).toBe('completed');
  });

  it('shows the parts of the texts of agents between its events', async () => {
    const run = await baton.runs.start('talkative');
    const events: RunEvent[] = [];
    for await (const item of run.live()) if (item.kind === 'event') events.push(item.event);
    expect(events).toEqual(await run.log());
  });

  it('that fails rejects its result with its error', async () => {
    const run = await baton.runs.start('doomed');
    const error = await refused(run.result());
    expect(error).toBeInstanceOf(BatonError);
    expect(error).toMatchObject({
      code: 'run_failed',
      message: `Run ${run.id} failed: it_broke: as it was told to`,
      runError: { code: 'it_broke' },
    });
    const retry = await run.retry();
    expect(await refused(retry.run.result())).toMatchObject({ code: 'run_failed' });
  });

  it('that is cancelled rejects its result', async () => {
    const run = await baton.runs.start('slow');
    const result = refused(run.result());
    expect(await run.cancel({ reason: 'enough' })).toMatchObject({ runId: run.id });
    expect(await result).toMatchObject({ code: 'run_cancelled' });
    expect(await refused(run.pause())).toMatchObject({
      code: 'run_terminal',
      status: 409,
      retryable: false,
    });
  });

  it('goes on when its reader leaves', async () => {
    const run = await baton.runs.start('gate');
    const leaving = new AbortController();
    const reading = (async () => {
      for await (const event of run.events({ signal: leaving.signal })) {
        if (event.type === 'interrupt.requested') leaving.abort(new Error('I leave'));
      }
    })();
    await expect(reading).rejects.toThrow('I leave');
    await untilAsked(run);
    expect(await run.snapshot()).toMatchObject({ status: 'waiting-approval' });
    await run.cancel();
  });

  it('is paused and resumed', async () => {
    const run = await baton.runs.start('slow');
    expect(await run.pause({ drainPolicy: 'immediate' })).toMatchObject({ status: 'paused' });
    expect((await run.resume()).runId).toBe(run.id);
    await run.cancel();
  });
});

describe('the interrupts of a run', () => {
  it('are listed with those of its children, and answered', async () => {
    const other = await baton.runs.start('gate');
    const run = await baton.runs.start('parent');
    await untilAsked(baton.run(`${run.id}.1`));
    await untilAsked(other);
    expect(await run.interrupts()).toEqual([
      expect.objectContaining({ runId: `${run.id}.1`, nodeId: 'gate', title: 'Ship it?' }),
    ]);
    expect((await baton.inbox()).map(({ rootRunId }) => rootRunId)).toEqual(
      expect.arrayContaining([run.id, other.id]),
    );
    await run.answer({ action: 'accept' });
    expect(await run.result()).toMatchObject({ status: 'completed' });
    await other.answer({ action: 'reject' }, { nodeId: 'gate' });
    expect(await run.interrupts()).toEqual([]);
    expect(await refused(run.answer({ action: 'accept' }))).toMatchObject({
      code: 'run_state_conflict',
      message: `Run ${run.id} has no open interrupt.`,
    });
  });

  it('of an unknown run are refused', async () => {
    expect(await refused(baton.run('no-such-run').interrupts())).toMatchObject({ code: 'not_found' });
  });

  it('are answered by their links', async () => {
    const run = await baton.runs.start('gate');
    await untilAsked(run);
    const [{ interruptToken: token = '' } = {}] = await run.interrupts();
    const stranger = connect({ url: host.url });
    expect(await stranger.links.read(token)).toMatchObject({ runId: run.id, kind: 'approval' });
    await stranger.links.answer(token, { action: 'accept' });
    expect(await run.result()).toMatchObject({ status: 'completed' });
  });
});

describe('a fork', () => {
  it('replays, branches and is compared', async () => {
    const run = await baton.runs.start('echo', { payload: { word: 'ebb' } });
    await run.result();
    const replay = await run.fork();
    expect(replay).toMatchObject({ sourceRunId: run.id, mode: 'replay', effects: 'recorded' });
    await replay.run.result();
    expect(await run.diff(replay.run)).toMatchObject({ a: run.id, b: replay.runId });
    const branch = await run.branch({ at: 1, variables: { payload: { word: 'flow' } } });
    expect(branch).toMatchObject({ mode: 'branch', effects: 'performed' });
    expect(await branch.run.result()).toMatchObject({ variables: { payload: { word: 'flow' } } });
    expect(await refused(run.branch({ at: 999 }))).toMatchObject({ code: 'fork_point_not_found' });
  });
});

describe('lists', () => {
  it('of runs go over all pages', async () => {
    for (let i = 0; i < 3; i += 1) await baton.runs.start('quick', {}, { tags: ['listed'] });
    const listed: string[] = [];
    for await (const { runId } of baton.runs.list({ tag: 'listed' })) listed.push(runId);
    const first = await baton.runs.page({ tag: 'listed', limit: 2 });
    const second = await baton.runs.page({ tag: 'listed', limit: 2, cursor: first.nextCursor });
    expect([...first.runs, ...second.runs].map(({ runId }) => runId)).toEqual(listed);
    expect(listed).toHaveLength(3);
  });

  it('of workflows hold those that were registered', async () => {
    const definition = { id: 'by-client', nodes: [{ id: 'only', typeId: 'core.noop' }] };
    const registered = await baton.workflows.register(definition as never);
    expect(registered).toEqual({ workflowId: 'by-client', version: 1, warnings: [] });
    expect((await baton.workflows.list()).map(({ workflowId }) => workflowId)).toContain('by-client');
    expect(await baton.workflows.read('by-client')).toMatchObject({ id: 'by-client' });
  });
});

it('says what to do when no host answers', async () => {
  const lonely = connect({ url: 'http://127.0.0.1:9', key: 'any', patience: { tries: 2, firstDelayMs: 1 } });
  expect(await refused(lonely.inbox())).toMatchObject({
    code: 'host_unreachable',
    message: 'No host answers at http://127.0.0.1:9; start one with "baton serve", or check the address.',
  });
  expect(() => connect({ url: '127.0.0.1:4747' })).toThrow('is not the address of a host');
});
